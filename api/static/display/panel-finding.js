// Everything about a finding: what happened, the article of the rule, cards, stills and clip; another penalty, a reason.
import { address } from "./http.js";
import { cardList, choose, clockTime, mayRule, named, Part, player, store, ui } from "./app.js";
import { fan, withCards } from "./cards.js";
import { h, patch } from "./dom.js";
import { evidence } from "./evidence.js";
import { choices, penaltyWords } from "./penalties.js";
import { decide, recall } from "./rulings.js";
import { sign } from "./shapes.js";
import { both, t } from "./words.js";

const REASONS = ["reason_record", "reason_video", "reason_table", "reason_players"];

class PzPanelFinding extends Part {
  parts = ["findings", "match", "log"];

  connectedCallback() {
    this.number = ui.panel.finding;
    this.why = null;
    this.penalty = null;
    super.connectedCallback();
  }

  show() {
    const one = (store.state.findings ?? []).find((each) => each.finding === this.number);
    if (!one) return patch(this, h("p", { class: "none" }, t("conflict_gone", { finding: this.number })));
    const entry = (store.state.log ?? []).find((each) => each.seq === one.event);
    patch(this,
      h("div", { class: `line ${one.certainty}` }, h("span", { class: "certainty" }, sign(one.certainty), t(one.certainty)),
        h("span", { class: "at" }, `#${one.finding} · ${clockTime(one.at)} · ${player(one.seat)}`)),
      h("p", { class: "text" }, withCards(named(one.text))),
      one.rule && h("blockquote", {}, h("b", {}, one.rule), " ", both(one.article) || t("no_article")),
      cardList(one.cards).length > 0 && fan(one.cards, { most: 14 }),
      entry && h("button", { type: "button", class: "event", onclick: () => choose({ panel: { name: "correct", of: entry.seq } }) }, t("its_event"), " ", withCards(named(entry.text))),
      evidence([...(one.clip ? [one.clip] : []), ...(one.stills ?? [])]),
      mayRule() && (one.ruling ? this.done(one) : this.form(one)),
      h("a", { class: "button", href: address(`findings/${one.finding}/bundle.zip`), download: "" }, t("bundle")));
  }

  done(one) {
    return h("div", { class: "row" }, h("p", {}, t("ruled", { finding: one.finding, ruling: t(one.ruling) }), " ", penaltyWords(one.ruled_penalty)),
      h("button", { type: "button", class: "undo", onclick: () => recall(one) }, t("undo_ruling")));
  }

  form(one) {
    const why = this.why ?? t(REASONS[0]);
    const own = { ...one.penalty, kind: one.penalty?.kind ?? "none" };
    const offered = choices(store.state.match?.game);
    const same = (a, b) => a.kind === b.kind && (a.amount ?? 1) === (b.amount ?? 1);
    const chosen = this.penalty ?? own;
    const side = one.seat !== null && one.seat !== undefined ? one.seat % 2 : one.side;
    const full = (penalty) => (penalty.kind === "levels" && side !== null && side !== undefined ? { ...penalty, to_side: 1 - side } : penalty);
    const rule = async (decision) => {
      const penalty = decision === "upheld" && this.penalty && !same(this.penalty, own) ? this.penalty : undefined;
      if (await decide(one, decision, why, penalty)) choose({ panel: null });
    };
    return h("form", { onsubmit: (event) => event.preventDefault() },
      h("fieldset", {}, h("legend", {}, t("penalty")), h("div", { class: "row penalties" },
        [own, ...offered.filter((each) => !same(each, own))].map((each) => h("button", {
          type: "button", "aria-pressed": String(same(each, chosen)), onclick: () => { this.penalty = each; this.show(); },
        }, penaltyWords(full(each)), each === own && h("small", {}, t("by_profile")))))),
      h("fieldset", {}, h("legend", {}, t("reason")), h("div", { class: "row" },
        REASONS.map((key) => h("button", { type: "button", "aria-pressed": String(why === t(key)), onclick: () => { this.why = t(key); this.show(); } }, t(key)))),
      h("input", { type: "text", name: "reason", "aria-label": t("reason_other"), placeholder: t("reason_other"), oninput: (event) => { this.why = event.target.value || null; } })),
      h("div", { class: "row end" },
        h("button", { type: "button", class: "uphold", onclick: () => rule("upheld") }, h("b", {}, t("uphold")), h("small", {}, !one.penalty && !this.penalty ? t("penalty_none_named") : penaltyWords(full(chosen)))),
        h("button", { type: "button", class: "dismiss", onclick: () => rule("dismissed") }, t("dismiss"))));
  }
}

customElements.define("pz-panel-finding", PzPanelFinding);
