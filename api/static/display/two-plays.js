// One play that may be two, which nobody saw being laid: offered in either order, and put right with one tap.
import { attempt, choose, input, notice } from "./app.js";
import { chips } from "./cards.js";
import { h } from "./dom.js";
import { get } from "./http.js";
import { correct, undoLast } from "./rulings.js";
import { sign } from "./shapes.js";
import { t } from "./words.js";

const MOST_WAYS = 2;
const parting = new Set();

/** Two plays that one may be, in either order: one tap says which came first. */
export function twoPlays(entry, done = () => {}) {
  const version = entry?.voided_by ? entry.now : entry;
  const ways = (version?.split ?? []).slice(0, MOST_WAYS);
  const say = async (first, then) => {
    // A double tap parts once.
    if (parting.has(entry.seq)) return;
    parting.add(entry.seq);
    try {
      if (await correctAsTwo(entry, first, then)) done();
    } finally {
      parting.delete(entry.seq);
    }
  };
  return ways.length > 0 && h("div", { class: "two" }, h("p", {}, sign("check"), t("two_plays")), ways.flatMap(([left, right]) => [[left, right], [right, left]])
    .map(([first, then]) => h("button", { type: "button", class: "reading way", "data-cards": `${first.join(" ")} / ${then.join(" ")}`, onclick: () => say(first, then) },
      h("small", {}, t("played_first")), chips(first), h("small", {}, t("played_then")), chips(then))));
}

/**
 * Say that a play was two: `first` stands in its place, `then` where the seat's next act is missing, or now where it is on
 * turn. Where neither is so, the form of a play opens with those cards: whoever looks says when they were laid.
 */
async function correctAsTwo(entry, first, then) {
  const { seat } = entry.now ?? entry;
  if (!await correct(entry, { event: "play", seat, cards: first.join(" ") })) return false;
  const answer = await get("state");
  const state = answer.state ?? answer;
  const log = state.log ?? [];
  const later = log.slice(log.findLastIndex((one) => one.event === "deal_started") + 1).filter((one) => one.seq > entry.seq && one.seat === seat);
  const gap = later.find((one) => (one.event === "missing" && !one.voided_by) || (one.event === "pass" && !one.voided_by && one.doubtful));
  const play = { event: "play", seat, cards: then.join(" ") };
  const onTurn = (state.seats ?? []).find((one) => one.turn)?.seat === seat;
  if (!gap && !onTurn) {
    choose({ panel: { name: "act", act: "play", values: { seat, cards: then } } });
    return true;
  }
  const done = await (gap ? correct(gap, play) : attempt(() => input(play)));
  if (done) notice("done", t("parted", { of: entry.seq }), async () => { if (await undoLast()) await undoLast(); });
  return done;
}
