// Corrects an event: tap a card, choose what it is (what can be comes first), see what would change, apply. Graphics on air
// are held for as long as this is open.
import { cardWords } from "../cards/pz-card.js";
import { ask, get, Problem } from "./http.js";
import { cardList, choose, clockTime, mayAct, named, Part, store, ui } from "./app.js";
import { stillThere } from "./acts.js";
import { withCards } from "./cards.js";
import { h, patch } from "./dom.js";
import { evidence } from "./evidence.js";
import { cardField, chosenCards, keypad } from "./keypad.js";
import { seatChoice } from "./panel-act.js";
import { correct } from "./rulings.js";
import { sign } from "./shapes.js";
import { twoPlays } from "./two-plays.js";
import { lang, t } from "./words.js";

const WITH_CARDS = ["play", "exposed", "taken_back", "throw_stopped", "throw_forced", "trump_shown"];
const FIXED = ["correction", "ruling"];
const ONE_CARD = ["tribute", "tribute_return", "turned_up", "kitty_turned"];

class PzPanelCorrect extends Part {
  parts = ["log"];

  connectedCallback() {
    this.of = ui.panel.of;
    const version = this.version();
    this.cards = cardList(version?.cards);
    this.seat = version?.seat ?? null;
    this.kind = version?.event;
    this.at = null;
    this.held(true);
    // Whoever closes the page in the middle of it holds nothing up.
    this._left = () => this.held(false);
    addEventListener("pagehide", this._left);
    super.connectedCallback();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener("pagehide", this._left);
    this.held(false);
  }

  /** Graphics wait while this is open; where that cannot be told, the correction still can be made. */
  held(correcting) {
    if (mayAct()) ask("PUT", "control", { correcting }).catch(() => {});
  }

  entry() { return (store.state.log ?? []).find((one) => one.seq === this.of) ?? this._entry; }

  /** The event as it counts now: corrected, where it was. */
  version() {
    const entry = this.entry();
    return entry?.now ?? entry;
  }

  /** Whether anything is other than it was read. */
  get moved() {
    const version = this.version();
    return Boolean(version) && (this.kind !== version.event || this.seat !== version.seat || this.cards.join(" ") !== cardList(version.cards).join(" "));
  }

  /** Whether there is something to apply: what was read in doubt can be confirmed as it is. */
  get changed() { return this.moved || Boolean(this.version()?.doubtful); }

  /** What the event should have been; fields that are left out stay as they are. */
  replacement() {
    const version = this.version();
    const other = this.kind !== version.event;
    const made = other ? { event: this.kind } : {};
    if (this.seat !== null && (other || this.seat !== version.seat)) made.seat = this.seat;
    if (WITH_CARDS.includes(this.kind)) made.cards = this.cards.join(" ");
    if (ONE_CARD.includes(this.kind)) made.card = this.cards[0];
    return made;
  }

  async pick(place) {
    this.at = this.at === place ? null : place;
    this.candidates = null;
    this.show();
    if (this.at === null) return;
    try {
      const found = await get(`candidates?of=${this.of}&card=${place}`);
      this.candidates = Array.isArray(found) ? found : found.candidates;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.candidates = [];
    }
    this.show();
  }

  put(card) {
    if (this.at === null || this.at >= this.cards.length) this.cards = [...this.cards, card];
    else this.cards = this.cards.map((one, place) => (place === this.at ? card : one));
    this.at = null;
    this.look();
  }

  change(changes) {
    Object.assign(this, changes);
    this.look();
  }

  /** Ask what would change; nothing is written. */
  async look() {
    this.problem = null;
    this.preview = null;
    this.show();
    const asked = JSON.stringify(this.replacement());
    this._asked = asked;
    try {
      const preview = await ask("POST", "corrections/preview", { of: this.of, replacement: this.replacement() });
      if (this._asked === asked) this.preview = preview;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (this._asked === asked) this.problem = error;
    }
    this.show();
  }

  async apply(replacement) {
    if (await correct(this.entry(), replacement)) choose({ panel: null });
  }

  show() {
    const entry = this.entry();
    if (!entry) return patch(this, h("p", { class: "none" }, t("event_far_back")));
    this._entry = entry;
    patch(this,
      h("p", { class: entry.voided_by ? "event voided" : "event" }, h("b", {}, `#${entry.seq}`), ` ${clockTime(entry.at)} `, h("span", {}, withCards(named(entry.text)))),
      entry.voided_by && h("p", { class: "event" }, t("voided_by", { by: entry.voided_by }), entry.now ? [" ", withCards(named(entry.now.text))] : ` ${t("is_void")}`),
      mayAct() && !FIXED.includes(entry.event) ? this.form(this.version()) : null,
      evidence(entry.evidence ?? []));
  }

  form(entry) {
    const cards = WITH_CARDS.includes(this.kind) || ONE_CARD.includes(this.kind);
    return h("form", { onsubmit: (event) => { event.preventDefault(); if (this.changed) this.apply(this.replacement()); } },
      cards && h("fieldset", { class: "cards", "data-field": "cards" }, h("legend", {}, t("tap_wrong_card")), this.at === null && h("p", { class: "none" }, t("tap_wrong_card")),
        chosenCards(this.cards, (place) => this.pick(place), this.at ?? -1),
        this.problem && h("p", { class: "problem", role: "alert" }, this.problem.say(lang)),
        this.at !== null && this.choices(),
        WITH_CARDS.includes(this.kind) && this.at === null && h("div", { class: "row" },
          h("button", { type: "button", onclick: () => { this.at = this.cards.length; this.candidates = []; this.show(); } }, t("add_card")))),
      entry.alternatives?.length > 0 && h("fieldset", {}, h("legend", {}, t("other_readings")), h("div", { class: "row" },
        entry.alternatives.slice(0, 4).map(([other, p]) => h("button", { type: "button", onclick: () => this.change({ cards: cardList(other) }) },
          cardList(other).map((name) => h("pz-card", { name })), h("small", {}, `${Math.round(p * 100)} %`))))),
      twoPlays(this.entry(), () => { if (ui.panel?.name === "correct") choose({ panel: null }); }),
      h("details", {}, h("summary", {}, t("more_changes")),
        this.seat !== null && seatChoice("seat", t("field_seat"), this.seat, (seat) => this.change({ seat })),
        ["play", "pass"].includes(entry.event) && h("fieldset", {}, h("legend", {}, t("what_it_was")), h("div", { class: "row" },
          ["play", "pass"].map((kind) => h("button", { type: "button", "aria-pressed": String(this.kind === kind), onclick: () => this.change({ kind }) }, t(`act_${kind}`))))),
        h("button", { type: "button", class: "void", onclick: () => this.apply(null) }, t("void_event"))),
      this.effects(),
      h("div", { class: "row end" },
        h("button", { type: "submit", class: "strong", disabled: !this.changed }, t(this.moved || !entry.doubtful ? "apply" : "as_read")),
        h("button", { type: "button", onclick: () => choose({ panel: null }) }, t("cancel"))));
  }

  choices() {
    const told = this.candidates;
    const first = (told ?? []).filter((one) => one.possible !== false).slice(0, 6);
    const there = stillThere();
    const possible = told?.length ? new Map(told.map((one) => [one.card, one.possible !== false])) : null;
    const left = (card) => (possible ? (possible.get(card) ? 1 : 0) : there(card));
    return h("div", { class: "choices" },
      first.some((one) => one.p) && h("div", { class: "row first", role: "group", "aria-label": t("likeliest") }, first.filter((one) => one.p).map((one) =>
        h("button", { key: one.card, type: "button", "data-card": one.card, "aria-label": `${cardWords(one.card, lang)} ${Math.round(one.p * 100)} %`, onclick: () => this.put(one.card) },
          h("pz-card", { name: one.card, role: "presentation" }), h("small", {}, `${Math.round(one.p * 100)} %`)))),
      keypad({ left, pick: (card) => this.put(card), likely: first.filter((one) => one.p).map((one) => one.card) }),
      cardField([], (names) => this.put(names.at(-1))),
      this.at < this.cards.length && h("button", { type: "button", onclick: () => { this.cards = this.cards.filter((_, place) => place !== this.at); this.at = null; this.look(); } }, t("remove_card")));
  }

  /** What would change: findings that go, come or change, results, whose turn it is. */
  effects() {
    if (!this.preview) return null;
    const then = new Map((this.preview.findings_then ?? []).map((one) => [one.finding, one]));
    const lines = (this.preview.changes ?? []).map((one) => {
      const found = one.what === "finding_gone" ? null : then.get(one.finding);
      return h("li", { class: `${one.what} ${found?.certainty ?? ""}` }, found && h("span", { class: "certainty" }, sign(found.certainty), t(found.certainty)), " ", withCards(named(one.text)));
    });
    return h("div", { class: "effects", role: "status" }, h("h3", {}, t("would_change")), lines.length ? h("ul", {}, lines) : h("p", { class: "none" }, t("effect_none")));
  }
}

customElements.define("pz-panel-correct", PzPanelCorrect);
