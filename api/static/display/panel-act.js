// What is entered by hand: one form for every event of the record, the seat and the likely values standing in it already.
import { input, attempt, choose, mayAct, mayRule, notice, Part, player, session, store, turnSeat, ui } from "./app.js";
import { ACTS, actsOf, eventOf, missing, stillThere } from "./acts.js";
import { Problem } from "./http.js";
import { h, patch } from "./dom.js";
import { cardField, chosenCards, keypad } from "./keypad.js";
import { nextDeal } from "./deals.js";
import { undoLast } from "./rulings.js";
import { has, lang, t } from "./words.js";

const SUITS = ["S", "H", "C", "D"];

/** A row of seats, one of them chosen. */
export function seatChoice(name, label, chosen, pick, problem = "") {
  const many = Array.isArray(chosen);
  return h("fieldset", { class: "seats", "data-field": name }, h("legend", {}, label),
    h("div", { class: "row" }, [0, 1, 2, 3].map((seat) => h("button", {
      type: "button", "aria-pressed": String(many ? chosen.includes(seat) : chosen === seat), "data-value": String(seat),
      onclick: () => pick(many ? (chosen.includes(seat) ? chosen.filter((one) => one !== seat) : [...chosen, seat]) : seat),
    }, player(seat), h("small", {}, t("seat_number", { seat }))))),
    problem && h("p", { class: "problem", role: "alert" }, problem));
}

class PzPanelAct extends Part {
  parts = ["seats", "trick", "log", "match"];

  connectedCallback() {
    this.act = ui.panel.act;
    this.values = { ...ACTS[this.act].start(), ...ui.panel.values };
    super.connectedCallback();
    (this.querySelector("button[aria-pressed=true]") ?? this.querySelector("button"))?.focus({ preventScroll: true });
  }

  set(changes) {
    Object.assign(this.values, changes);
    this.problem = null;
    this.show();
  }

  show() {
    if (!this.act) return;
    patch(this, h("form", { onsubmit: (event) => { event.preventDefault(); this.send(); } },
      ACTS[this.act].fields.map((spec) => this.field(spec.replace("?", ""), spec.endsWith("?"))),
      this.problem && h("p", { class: "problem", role: "alert" }, this.problem.say(lang, ACTS[this.act].fields)),
      h("div", { class: "row end" },
        h("button", { type: "submit", class: "strong", disabled: this.sending || missing(this.act, this.values) !== null }, t("enter_it")),
        h("button", { type: "button", onclick: () => choose({ panel: null }) }, t("cancel")))));
  }

  field(name, optional) {
    const value = this.values[name];
    const wrong = this.problem?.field(name, lang) ?? "";
    const label = t(`field_${name}`) + (optional ? ` (${t("optional")})` : "");
    const problem = wrong && h("p", { class: "problem", role: "alert" }, wrong);
    switch (name) {
      case "seat": case "to": case "of": return seatChoice(name, has(`field_${name}_${this.act}`) ? t(`field_${name}_${this.act}`) : label, value, (seat) => this.set({ [name]: seat }), wrong);
      case "seats": return seatChoice(name, label, value ?? [], (seats) => this.set({ seats }), wrong);
      case "count": return h("fieldset", { "data-field": name }, h("legend", {}, label), this.counts(value), problem);
      case "consent": return h("fieldset", { "data-field": name }, h("legend", {}, label), h("div", { class: "row" }, [true, false].map((one) =>
        h("button", { type: "button", "aria-pressed": String(value === one), onclick: () => this.set({ consent: one }) }, t(one ? "with_consent" : "without_consent")))), problem);
      case "suit": return h("fieldset", { "data-field": name }, h("legend", {}, label), h("div", { class: "row" }, SUITS.map((one) =>
        h("button", { type: "button", "aria-pressed": String(value === one), onclick: () => this.set({ suit: one }) }, t(`suit_${one}`)))), problem);
      case "what": return h("fieldset", { "data-field": name }, h("legend", {}, label),
        h("div", { class: "row" }, ["what_out_of_turn", "what_touched", "what_looked"].map((key) =>
          h("button", { type: "button", "aria-pressed": String(value === t(key)), onclick: () => this.set({ what: t(key) }) }, t(key)))),
        h("input", { type: "text", name, "aria-label": label, value: value ?? "", oninput: (event) => { this.values.what = event.target.value; } }), problem);
      case "says": return h("label", { "data-field": name }, h("span", {}, label), h("input", { type: "text", name, value: value ?? "", oninput: (event) => { this.values.says = event.target.value; } }), problem);
      case "card": return this.cards(name, label, value ? [value] : [], (cards) => this.set({ card: cards.at(-1) ?? null }), problem);
      default: return this.cards(name, label, value ?? [], (cards) => this.set({ cards }), problem);
    }
  }

  counts(value) {
    const seat = (store.state.seats ?? []).find((one) => one.seat === this.values.seat);
    const left = seat?.remaining;
    const most = this.act === "hand_count" ? 27 : 10;
    return h("div", { class: "row" },
      Array.from({ length: most }, (_, place) => place + 1).map((count) => h("button", {
        type: "button", class: count === left ? "figure strong" : "figure", "aria-pressed": String(value === count), "data-value": String(count),
        // For a call one tap is enough: the seat is chosen, the number is what was called.
        onclick: () => { this.set({ count }); if (this.act === "count_called") this.send(); },
      }, count)));
  }

  cards(name, label, cards, take, problem) {
    const there = stillThere();
    const taken = (card) => cards.filter((one) => one === card).length;
    const offered = this.values.offered ?? [];
    // What is taken back, or stays of a throw, are cards that lie there.
    const back = this.act === "taken_back" || this.act === "throw_forced";
    const lies = (card) => (offered.length ? offered.filter((one) => one === card).length : 2);
    const left = (card) => (back ? lies(card) : there(card)) - (name === "cards" ? taken(card) : 0);
    return h("fieldset", { class: "cards", "data-field": name }, h("legend", {}, label),
      chosenCards(cards, (place) => take(cards.filter((_, at) => at !== place))),
      problem,
      keypad({ left, pick: (card) => take([...cards, card]) }),
      cardField(cards, take));
  }

  async send() {
    const lack = missing(this.act, this.values);
    if (lack || this.sending) return;
    this.sending = true;
    this.show();
    try {
      await input(eventOf(this.act, this.values));
      notice("done", t("entered", { what: t(`act_${this.act}`) }), undoLast);
      choose({ panel: null });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.problem = error;
    } finally {
      this.sending = false;
      if (this.isConnected) this.show();
    }
  }
}

/** Open the form of an act. */
export const openAct = (act, values = {}) => choose({ panel: { name: "act", act, values } });

/** A pass of whoever is on turn: one tap. */
export function passNow() {
  const seat = turnSeat();
  if (seat === null) return openAct("pass");
  return attempt(() => input({ event: "pass", seat })).then((done) => done && notice("done", t("passed", { who: player(seat) }), undoLast));
}

/** Stop the clock, or let it run. */
export function clockNow() {
  const stopped = store.state.clock?.stopped;
  return attempt(() => input({ event: "clock", state: stopped ? "running" : "stopped", why: session.name || "referee" }), t(stopped ? "clock_runs" : "clock_stands"));
}

class PzPanelActs extends Part {
  parts = ["match"];

  show() {
    const game = store.state.match?.game;
    patch(this,
      h("div", { class: "acts" }, actsOf(game).map((act) => h("button", { type: "button", onclick: () => openAct(act) }, t(`act_${act}`)))),
      mayRule() && h("h3", {}, t("deal_and_match")),
      mayRule() && h("div", { class: "acts" },
        h("button", { type: "button", onclick: nextDeal }, t("next_deal")),
        h("button", { type: "button", onclick: () => choose({ panel: { name: "void" } }) }, t("void_deal")),
        h("button", { type: "button", onclick: () => choose({ panel: { name: "end" } }) }, t("end_match"))));
  }
}

class PzActions extends Part {
  parts = ["match", "seats", "clock", "trick", "link"];

  show() {
    if (!mayAct()) return patch(this, h("p", { class: "none" }, t("viewer_only")));
    const match = store.state.match;
    const seat = turnSeat();
    const over = Boolean(match?.view?.over) || (match?.deal ? (store.state.results ?? []).some((one) => one.deal === match.deal) : Boolean(match?.profile));
    const stopped = store.state.clock?.stopped;
    const button = (label, keys, onclick, className = "", under = "") => h("button", { type: "button", class: className, onclick, "aria-keyshortcuts": keys },
      h("b", {}, label), h("small", {}, under || h("kbd", {}, keys)));
    const off = !match?.profile;
    patch(this, h("div", { class: "bar", role: "toolbar", "aria-label": t("by_hand_tools") },
      over && mayRule() && button(t("next_deal"), "N", nextDeal, "strong"),
      button(t("act_play"), "M", () => openAct("play"), "", seat === null ? "" : player(seat)),
      button(t("act_pass"), "P", passNow, "", seat === null ? "" : player(seat)),
      match?.game === "shengji" ? [button(t("act_throw_stopped"), "T", () => openAct("throw_stopped")), button(t("act_throw_forced"), "F", () => openAct("throw_forced"))]
        : button(t("act_count_called"), "C", () => openAct("count_called")),
      button(t("act_exposed"), "E", () => openAct("exposed")),
      button(t("act_moved"), "O", () => openAct("moved")),
      button(t("act_taken_back"), "B", () => openAct("taken_back")),
      button(t(stopped ? "run_clock" : "stop_clock"), "S", clockNow, stopped ? "strong" : ""),
      button(t("undo"), "Z", undoLast),
      button(t("more_acts"), "A", () => choose({ panel: { name: "acts" } })),
      off && h("span", { class: "none" }, t("no_match"))));
  }
}

customElements.define("pz-panel-act", PzPanelAct);
customElements.define("pz-panel-acts", PzPanelActs);
customElements.define("pz-actions", PzActions);
