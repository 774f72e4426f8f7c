// <pz-log>: what happened, newest at the top, to be searched; a tap on a line opens it for a correction.
import { choose, clockTime, named, Part, store, ui } from "./app.js";
import { withCards } from "./cards.js";
import { h, patch } from "./dom.js";
import { sign } from "./shapes.js";
import { t } from "./words.js";

const SYMBOLS = { S: "♠", H: "♥", C: "♣", D: "♦" };

/** Whether an entry holds every word that is searched for: a player, a card in either notation, a number, a kind. */
export function matches(entry, words) {
  const text = `${entry.seq} ${named(entry.text)} ${entry.text.zh} ${entry.text.en} ${(entry.cards ?? []).join(" ")} ${entry.event}`.toLowerCase();
  return words.every((word) => text.includes(word) || text.includes(word.replace(/^[shcd](?=[0-9jqkat])/, (suit) => SYMBOLS[suit.toUpperCase()])));
}

class PzLog extends Part {
  parts = ["log", "findings", "match", "table"];
  #wanted = "";

  show() {
    const log = store.state.log ?? [];
    const words = this.#wanted.toLowerCase().split(/\s+/).filter(Boolean);
    const cameras = (store.state.table?.cameras ?? []).length > 0;
    const about = new Set((store.state.findings ?? []).map((one) => one.event));
    const shown = log.filter((entry) => !words.length || matches(entry, words)).toReversed();
    const list = this.querySelector("ol");
    const away = list && list.scrollTop > 8 ? list.scrollHeight - list.scrollTop : null;
    patch(this,
      h("header", {},
        h("h2", {}, t("log")),
        h("label", { class: "search" }, h("span", { class: "unseen" }, t("search")),
          h("input", { type: "search", id: "search", placeholder: t("search_hint"), oninput: (event) => { this.#wanted = event.target.value; this.show(); } }))),
      h("ol", { tabindex: "0", "aria-label": t("log") }, shown.map((entry) => this.line(entry, about, cameras))),
      !shown.length && h("p", { class: "none" }, t(words.length ? "search_none" : "log_none")));
    // Whoever reads further down keeps what he reads, however much comes in above it.
    if (away !== null) list.scrollTop = list.scrollHeight - away;
  }

  line(entry, about, cameras) {
    const open = ui.panel?.name === "correct" && ui.panel.of === entry.seq;
    return h("li", { key: entry.seq, class: `${entry.voided_by ? "voided" : ""}${open ? " open" : ""}`, "data-seq": String(entry.seq) },
      h("button", { type: "button", onclick: () => choose({ panel: { name: "correct", of: entry.seq } }) },
        h("span", { class: "seq" }, entry.seq),
        h("span", { class: "at" }, clockTime(entry.at)),
        h("span", { class: "words" }, withCards(named(entry.text)),
          entry.doubtful && h("em", { class: "doubt" }, sign("check"), t("reading_doubtful")),
          about.has(entry.seq) && h("em", { class: "about" }, sign("likely"), t("has_finding")),
          // At a table that is kept by hand everything is.
          cameras && entry.source === "referee" && h("em", {}, t("by_hand")),
          entry.voided_by && h("em", {}, t("voided_by", { by: entry.voided_by }), entry.now ? "" : ` ${t("is_void")}`)),
        entry.now && h("span", { class: "words now" }, withCards(named(entry.now.text)))));
  }
}

customElements.define("pz-log", PzLog);
