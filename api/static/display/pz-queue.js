// <pz-queue>: what waits for the referee, most urgent first. Nothing in it moves under a finger that is about to tap: while a
// pointer or the focus is in it, and a moment after, what is new goes to the end and what is gone stays as a shadow.
import { cardText } from "../cards/pz-card.js";
import { attempt, cardList, choose, clockTime, mayAct, mayRule, named, notice, Part, player, store, ui } from "./app.js";
import { noteCall, waitingCalls } from "./calls.js";
import { chips, fan, withCards } from "./cards.js";
import { h, patch } from "./dom.js";
import { sign } from "./shapes.js";
import { confirmReading, decide, recall } from "./rulings.js";
import { penaltyWords } from "./penalties.js";
import { twoPlays } from "./two-plays.js";
import { both, lang, t } from "./words.js";

const HELD_MS = 3000, SETTLE_MS = 400, NEW_MS = 12000;
const REASONS = ["reason_record", "reason_video", "reason_table", "reason_players"];

/** Findings in the order in which they cannot wait: looked at now or never, proven, the rest; the newest first in each. */
export function urgent(findings, trick) {
  const lying = new Set((trick?.plays ?? []).map((play) => play.seq));
  const rank = (one) => (one.certainty === "check" ? (lying.has(one.event) ? 0 : 2) : one.certainty === "proven" ? 1 : one.certainty === "likely" ? 3 : 4);
  return findings.filter((one) => !one.ruling).sort((a, b) => rank(a) - rank(b) || b.finding - a.finding);
}

class PzQueue extends Part {
  parts = ["findings", "trick", "match", "link", "log", "control"];

  constructor() {
    super();
    this._order = [];
    this._calls = [];
    this._seen = new Map();
    this._shadows = new Map();
    this._reasons = new Map();
    this._touched = -Infinity;
    this._moved = -Infinity;
    const touch = () => { this._touched = performance.now(); };
    for (const kind of ["pointermove", "pointerdown", "pointerenter", "focusin", "keydown"]) this.addEventListener(kind, touch, { passive: true });
    this.addEventListener("pointerdown", () => { this._down = true; });
    for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, () => { this._down = false; }, { passive: true });
    // A tap that was aimed at what stood here a moment ago is nobody's decision.
    this.addEventListener("click", (event) => {
      if (event.detail > 0 && performance.now() - this._moved < SETTLE_MS) {
        event.preventDefault();
        event.stopPropagation();
        if (!ui.notice) notice("done", t("tap_again"));
      }
    }, { capture: true });
  }

  connectedCallback() {
    super.connectedCallback();
    this._thaw = setInterval(() => this.show(), 500);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this._thaw);
  }

  get held() {
    return this._down || performance.now() - this._touched < HELD_MS;
  }

  /** The order to show now: the urgent one, or the one that stands while somebody is about to tap. */
  order(waiting) {
    const wanted = waiting.map((one) => one.finding);
    const now = performance.now();
    for (const number of wanted) if (!this._seen.has(number)) this._seen.set(number, this._began ? now : -Infinity);
    // What was there when the page came is not new.
    this._began ||= store.n !== null;
    let order = wanted;
    if (this.held && this._order.length) order = [...this._order, ...wanted.filter((number) => !this._order.includes(number))];
    else this._shadows.clear();
    const kept = this._order.filter((number, place) => order[place] === number).length;
    // Where a finding becomes a shadow its buttons are others: a second tap at the same place was not meant for them.
    const shadows = order.filter((number) => !wanted.includes(number)).length;
    if ((this._order.length && kept < this._order.length) || shadows > (this._gone ?? 0)) this._moved = now;
    this._gone = shadows;
    this._order = order;
    return order;
  }

  /** The calls to show now: those that wait, or those that stand while somebody is about to tap. */
  calls(waiting) {
    const same = waiting.length === this._calls.length && waiting.every((one, place) => one.seq === this._calls[place].seq);
    if (same || (this.held && (this._order.length || this._calls.length))) return this._calls;
    if (this._began && this._order.length + this._calls.length) this._moved = performance.now();
    this._calls = waiting;
    return waiting;
  }

  show() {
    const calling = waitingCalls(store.state.log ?? [], store.state.control?.noted ?? []);
    const heard = calling.filter((one) => one.seq > (this._heard ?? -1));
    if (heard.length && this._began) this._news = t("news", { text: named((heard.at(-1).now ?? heard.at(-1)).text) });
    if (store.n !== null) this._heard = Math.max(this._heard ?? 0, ...calling.map((one) => one.seq));
    const calls = this.calls(calling);
    const findings = store.state.findings ?? [];
    const waiting = urgent(findings, store.state.trick);
    const before = this._order.length ? new Set(this._order) : null;
    const order = this.order(waiting);
    const fresh = waiting.filter((one) => before && !before.has(one.finding));
    if (fresh.length) this._news = t("news", { text: `${t(fresh[0].certainty)} ${named(fresh[0].text)}` });
    for (const one of waiting) this._shadows.set(one.finding, one);
    const decided = findings.filter((one) => one.ruling);
    patch(this,
      h("header", { key: "head" },
        h("h2", {}, t("queue")), h("b", { class: waiting.length + calling.length ? "number" : "number none" }, waiting.length + calling.length),
        this.held && order.length + calls.length > 0 && h("span", { class: "hold" }, t("queue_held"))),
      h("p", { key: "live", class: "unseen", "aria-live": "polite" }, this._news ?? ""),
      h("div", { key: "all", class: "all" },
        calls.length > 0 && h("ol", { key: "calls", class: "waiting calls" }, calls.map((one) => this.call(one, calling.includes(one)))),
        h("ol", { key: "list", class: "waiting" }, order.map((number) => {
          const one = waiting.find((each) => each.finding === number);
          return one ? this.item(one) : this.shadow(number, findings);
        }).filter(Boolean)),
        !waiting.length && !calls.length && h("p", { key: "none", class: "none" }, t("queue_none")),
        decided.length > 0 && h("details", { key: "decided", class: "decided" },
          h("summary", {}, t("decided", { count: decided.length })),
          h("ol", {}, decided.map((one) => this.ruled(one))))));
  }

  /** A player who calls the referee: noted with one tap. */
  call(one, waits) {
    return h("li", { key: `c${one.seq}`, class: `item call${waits ? "" : " gone"}`, "data-call": String(one.seq) },
      h("div", { class: "line" }, h("span", { class: "certainty" }, sign("turn"), t(waits ? "call" : "call_noted")), h("span", { class: "at" }, clockTime(one.at))),
      h("p", { class: "text" }, named((one.now ?? one).text)),
      waits && mayAct() && h("div", { class: "row" }, h("button", { type: "button", class: "note strong", onclick: () => noteCall(one) }, t("note_call"))));
  }

  item(one) {
    const fresh = performance.now() - (this._seen.get(one.finding) ?? 0) < NEW_MS;
    const open = ui.panel?.name === "finding" && ui.panel.finding === one.finding;
    return h("li", { key: `f${one.finding}`, class: `item ${one.certainty}${open ? " open" : ""}`, "data-finding": String(one.finding) },
      h("div", { class: "line" },
        h("span", { class: "certainty" }, sign(one.certainty), t(one.certainty)),
        one.rule && h("span", { class: "rule" }, one.rule),
        fresh && h("span", { class: "new" }, t("new")),
        h("span", { class: "at" }, `#${one.finding} · ${clockTime(one.at)}`)),
      h("p", { class: "text" }, withCards(named(one.text))),
      one.rule && both(one.article) && h("p", { class: "article" }, both(one.article)),
      // What the sentence names as cards need not be drawn again.
      cardList(one.cards).some((card) => !both(one.text).includes(cardText(card, lang))) && h("div", { class: "cards" }, fan(one.cards, { most: 14 })),
      this.buttons(one));
  }

  buttons(one) {
    if (!mayRule()) return this.onlyDetails(one);
    const why = () => t(this._reasons.get(one.finding) ?? REASONS[0]);
    return h("div", { class: "act" },
      one.certainty === "check" || one.alternatives?.length ? this.readings(one) : null,
      h("div", { class: "decide" },
        h("div", { class: "row" },
          h("button", { type: "button", class: "uphold", onclick: () => decide(one, "upheld", why()) },
            h("b", {}, t("uphold")), h("small", {}, one.penalty ? penaltyWords(one.penalty) : t("penalty_none_named"))),
          h("button", { type: "button", class: "dismiss", onclick: () => decide(one, "dismissed", why()) }, t("dismiss")),
          h("button", { type: "button", class: "details", onclick: () => choose({ panel: { name: "finding", finding: one.finding } }) }, t(one.clip || one.stills?.length ? "footage" : "more_about"))),
        h("label", { class: "reason" }, h("span", {}, t("reason")),
          h("select", { onchange: (event) => this._reasons.set(one.finding, event.target.value), value: this._reasons.get(one.finding) ?? REASONS[0] },
            REASONS.map((key) => h("option", { value: key }, t(key)))))));
  }

  onlyDetails(one) {
    return h("div", { class: "act" }, h("div", { class: "row" },
      h("button", { type: "button", onclick: () => choose({ panel: { name: "finding", finding: one.finding } }) }, t("more_about"))));
  }

  /** What the cards may be: one tap says which. */
  readings(one) {
    const entry = (store.state.log ?? []).find((each) => each.seq === one.event);
    // What filled a gap, or was corrected, counts as it is now.
    const version = entry?.voided_by ? entry.now : entry;
    const ways = version?.split ?? [];
    // Each half of two plays is a reading by itself too; the two together say more.
    const halves = new Set(ways.flat().map((cards) => cards.join(" ")));
    const likely = (version?.alternatives ?? one.alternatives ?? []).filter(([cards]) => !halves.has(cardList(cards).join(" "))).slice(0, 3);
    const sum = likely.reduce((total, [, p]) => total + (p ?? 0), 0);
    const first = version && likely.length + ways.length ? [[cardList(version.cards), version.confidence ?? Math.max(0, 1 - sum)]] : [];
    const shown = [...first, ...likely].filter(([cards]) => cardList(cards).length);
    return h("div", { class: "readings" },
      h("p", {}, sign("check"), t(shown.length ? "which_cards" : "look_at_table", { who: player(one.seat) })),
      h("div", { class: "row" },
        shown.map(([cards, p]) => h("button", { type: "button", class: "reading", "data-cards": cardList(cards).join(" "), onclick: () => confirmReading(one, cardList(cards)) },
          chips(differing(cardList(cards), shown)), p ? h("small", {}, `${Math.round(p * 100)} %`) : null)),
        h("button", { type: "button", onclick: () => choose({ panel: { name: "correct", of: one.event } }) }, t(shown.length ? "other_cards" : "correct_it"))),
      twoPlays(entry));
  }

  /** A finding that is no longer there, in its place for as long as somebody may be about to tap. */
  shadow(number, findings) {
    const old = this._shadows.get(number);
    if (!old) return null;
    const now = findings.find((one) => one.finding === number);
    return h("li", { key: `f${number}`, class: `item gone ${old.certainty}${now?.ruling ? "" : " withdrawn"}`, "data-finding": String(number) },
      h("div", { class: "line" }, h("span", { class: "certainty" }, sign(old.certainty), now?.ruling ? t(now.ruling) : t("withdrawn")), h("span", { class: "at" }, `#${number}`)),
      h("p", { class: "text" }, withCards(named(old.text))),
      now?.ruling && mayRule() && h("div", { class: "act" }, h("div", { class: "row" }, h("button", { type: "button", class: "undo", onclick: () => recall(now) }, t("undo_ruling")))));
  }

  ruled(one) {
    return h("li", { key: `r${one.finding}`, class: "ruled", "data-finding": String(one.finding) },
      h("span", {}, `#${one.finding} `, h("b", {}, t(one.ruling)), one.ruled_penalty ? ` · ${penaltyWords(one.ruled_penalty)}` : "", " · ", named(one.text)),
      h("button", { type: "button", onclick: () => choose({ panel: { name: "finding", finding: one.finding } }) }, t("more_about")),
      mayRule() && h("button", { type: "button", class: "undo", onclick: () => recall(one) }, t("undo_ruling")));
  }
}

/** Only the cards in which readings differ, where they are of one length; all of them otherwise. */
function differing(cards, readings) {
  const lists = readings.map(([each]) => cardList(each));
  if (lists.some((list) => list.length !== cards.length)) return cards;
  const places = cards.map((_, place) => place).filter((place) => new Set(lists.map((list) => list[place])).size > 1);
  return places.length ? places.map((place) => cards[place]) : cards;
}

customElements.define("pz-queue", PzQueue);
