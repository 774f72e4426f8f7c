// What moves a match on: the next deal, a deal that does not count, the end; and how graphics are held meanwhile.
import { ask } from "./http.js";
import { attempt, choose, notice, Part, store } from "./app.js";
import { h, patch } from "./dom.js";
import { decideOn, undoLast } from "./rulings.js";
import { t } from "./words.js";

const sameDeal = (deal) => (state) => (state.match?.deal === deal ? "" : t("conflict_deal"));

async function move(path, body, done) {
  const deal = store.state.match?.deal;
  const moved = await attempt(() => decideOn("POST", path, body, sameDeal(deal)));
  if (moved) {
    choose({ panel: null });
    notice("done", done, undoLast);
  }
}

/** Begin the next deal; where the one on the table has no result yet, it is asked for first. */
export async function nextDeal() {
  const deal = store.state.match?.deal;
  const running = deal && !(store.state.results ?? []).some((one) => one.deal === deal) && !(store.state.log ?? []).some((one, place, log) =>
    one.event === "deal_voided" && !log.slice(place).some((later) => later.event === "deal_started"));
  if (running) return choose({ panel: { name: "next" } });
  return move("deals/next", {}, t("next_deal_done"));
}

const nextAnyway = () => move("deals/next", { force: true }, t("next_deal_done"));

/** The deal does not count. */
export const dealVoid = (why) => move("deals/void", why ? { why } : {}, t("void_done"));

/** The match is over. */
export const endMatch = (why) => move("match/end", why ? { why } : {}, t("end_done"));

/** Hold, clear or show the graphics on air. */
export const graphics = (state) => attempt(() => ask("PUT", "control", { graphics: state }), t(`graphics_${state}_done`));

const SINGLE = ["bug", "trump", "seats", "trick", "clock", "finding", "result", "names", "hands"];

/** Show a graphic (true), keep it off (false), or leave it to the table (null). */
function take(name, on) {
  const { [name]: _, ...taken } = store.state.control?.taken ?? {};
  return attempt(() => ask("PUT", "control", { taken: on === null ? taken : { ...taken, [name]: on } }));
}

/** Something that cannot be done by a slip of the finger: named, with a reason, and done. */
class Confirm extends Part {
  parts = ["match"];

  show() {
    const { say, reasons, work, button } = this.kind;
    patch(this,
      h("p", {}, say()),
      reasons.length > 0 && h("div", { class: "row" }, reasons.map((key) => h("button", { type: "button", "aria-pressed": String(this.why === t(key)), onclick: () => { this.why = t(key); this.show(); } }, t(key)))),
      reasons.length > 0 && h("label", {}, h("span", {}, t("reason")), h("input", { type: "text", value: this.why ?? "", oninput: (event) => { this.why = event.target.value; } })),
      h("div", { class: "row end" },
        h("button", { type: "button", class: "strong", onclick: () => work(this.why) }, button()),
        h("button", { type: "button", onclick: () => choose({ panel: null }) }, t("cancel"))));
  }
}

class PzPanelVoid extends Confirm {
  kind = { say: () => t("void_say", { deal: store.state.match?.deal ?? "?" }), reasons: ["why_misdeal", "why_packs", "why_ruling"], work: dealVoid, button: () => t("void_deal") };
}

class PzPanelEnd extends Confirm {
  kind = { say: () => t("end_say"), reasons: ["why_time", "why_agreed", "why_forfeit"], work: endMatch, button: () => t("end_match") };
}

class PzPanelNext extends Confirm {
  kind = { say: () => t("next_say", { deal: store.state.match?.deal ?? "?" }), reasons: [], work: nextAnyway, button: () => t("next_deal") };
}

class PzPanelGraphics extends Part {
  parts = ["control"];

  show() {
    const control = store.state.control ?? {};
    patch(this,
      h("p", {}, t("graphics_say")),
      h("div", { class: "acts" }, ["live", "hold", "clear"].map((state) =>
        h("button", { type: "button", "aria-pressed": String(control.graphics === state), onclick: () => graphics(state) }, h("b", {}, t(`graphics_${state}`)), h("small", {}, t(`graphics_${state}_hint`))))),
      control.correcting && h("div", { class: "row" }, h("p", {}, t("graphics_held")),
        h("button", { type: "button", onclick: () => attempt(() => ask("PUT", "control", { correcting: false })) }, t("end_hold"))),
      h("h3", {}, t("graphics_single")), h("p", { class: "none" }, t("graphics_single_say")),
      h("div", { class: "singles" }, SINGLE.map((name) => h("div", { key: name, role: "group", "aria-label": t(`graphic_${name}`), "data-graphic": name },
        h("span", {}, t(`graphic_${name}`)),
        [null, true, false].map((on) => h("button", { type: "button", "aria-pressed": String((control.taken?.[name] ?? null) === on), onclick: () => take(name, on) },
          t(on === null ? "take_auto" : on ? "take_on" : "take_off")))))));
  }
}

customElements.define("pz-panel-next", PzPanelNext);
customElements.define("pz-panel-void", PzPanelVoid);
customElements.define("pz-panel-end", PzPanelEnd);
customElements.define("pz-panel-graphics", PzPanelGraphics);
