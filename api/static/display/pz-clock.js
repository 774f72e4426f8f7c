// <pz-clock>: whose time runs and how much of it is left, as the rules count it; it turns before the limit, not after.
import { mayRule, Part, player, store } from "./app.js";
import { h, patch } from "./dom.js";
import { has, t } from "./words.js";

const SOON_S = 5, SOON_SHARE = 0.3;

/** How a wait stands at a moment: seconds left, and the state that colours it. */
export function standing(wait, clock, now) {
  if (wait.left === null || wait.left === undefined || !wait.limit) return { left: null, state: "open" };
  const passed = clock.stopped || now === null || clock.at === null || clock.at === undefined ? 0 : Math.max(0, now - clock.at);
  const left = wait.left - passed;
  const state = left < 0 ? "over" : left <= Math.max(SOON_S, wait.limit * SOON_SHARE) ? "soon" : "running";
  return { left, state: clock.stopped ? "stopped" : state };
}

/** Seconds as the display shows them: tenths only where they matter. */
export function figure(left) {
  if (left === null) return "–";
  const sign = left < 0 ? "+" : "", size = Math.abs(left);
  if (size < (left < 0 ? 10 : 5)) return sign + size.toFixed(1);
  const seconds = left < 0 ? Math.floor(size) : Math.ceil(size);
  return sign + (seconds < 60 ? seconds : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
}

class PzClock extends Part {
  parts = ["clock", "match", "link", "results"];

  connectedCallback() {
    super.connectedCallback();
    this._ticking = setInterval(() => this.show(), 100);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this._ticking);
  }

  dealOver(match) {
    return (store.state.results ?? []).some((one) => one.deal === match.deal);
  }

  /** What stands in the clock's place while no deal is played. */
  before(match) {
    if (match?.ended !== null && match?.ended !== undefined) return [t("match_over"), t("match_over_hint")];
    if (!match?.profile) return [t("no_match"), mayRule() ? t("no_match_hint") : ""];
    return [t(match.deal ? "deal_over" : "deal_none"), mayRule() ? t("deal_next_hint") : ""];
  }

  show() {
    const clock = store.state.clock ?? { stopped: false, waits: [] };
    const now = store.now();
    const rows = clock.waits.map((wait) => ({ wait, ...standing(wait, clock, now) }))
      .sort((a, b) => (a.left ?? Infinity) - (b.left ?? Infinity));
    const first = rows[0];
    const fresh = store.fresh;
    const state = !fresh ? "stale" : clock.stopped ? "stopped" : first ? first.state : "idle";
    this.dataset.state = state;
    // Nothing is dealt: nobody's time runs, and a dash in letters of a hand's height would say less than what to do.
    const { match } = store.state;
    if (fresh && !first && (match?.ended || !match?.deal || this.dealOver(match)) && !clock.stopped) {
      const [head, hint] = this.before(match);
      this.dataset.state = "waiting";
      return patch(this, h("div", { class: "whose" }, h("b", {}, head)), hint && h("div", { class: "hint" }, hint));
    }
    const share = first?.left > 0 && first.wait.limit ? Math.min(1, first.left / first.wait.limit) : 0;
    const shown = first && fresh ? figure(first.left) : "–";
    patch(this,
      h("div", { class: "whose" }, first ? [h("b", {}, player(first.wait.seat)), h("span", {}, action(first.wait.action))] : h("span", {}, t("clock_none"))),
      h("div", { class: shown.length > 3 ? "figure long" : "figure", role: "timer", "aria-label": t("clock") }, shown),
      h("div", { class: "bar" }, h("i", { style: { transform: `scaleX(${share.toFixed(3)})` } })),
      h("div", { class: "state" }, !fresh ? t("clock_stale") : clock.stopped ? t("clock_stopped") : first ? detail(first) : ""),
      rows.length > 1 && h("ul", { class: "others" }, rows.slice(1).map(({ wait, left, state: s }) =>
        h("li", { class: s }, `${player(wait.seat)} ${fresh ? figure(left) : "–"}`))));
  }
}

function action(name) {
  const key = `action_${name}`;
  return has(key) ? t(key) : name;
}

function detail({ wait, left, state }) {
  if (left === null) return t("clock_open");
  if (state === "over") return t("clock_over", { limit: wait.limit });
  return t(state === "soon" ? "clock_soon" : "clock_limit", { limit: wait.limit });
}

customElements.define("pz-clock", PzClock);
