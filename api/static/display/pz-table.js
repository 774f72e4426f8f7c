// <pz-table>: the table from above as it stands in the room: four seats, whose turn, the cards of this trick, the clock.
import { choose, mayAct, Part, player, store, ui } from "./app.js";
import { fan } from "./cards.js";
import { h, patch } from "./dom.js";
import "./pz-clock.js";
import "./pz-picture.js";
import { sign } from "./shapes.js";
import { both, t } from "./words.js";

const PLACES = ["bottom", "right", "top", "left"];
const SUITS = { S: "♠", H: "♥", C: "♣", D: "♦", NT: "NT" };

/** Turn the table by a quarter: the next seat comes to where the referee stands. */
export const turnTable = () => choose({ bottom: (ui.bottom + 1) % 4 });

/** Plays of a trick by seat: the latest of each, and those before it. */
export function bySeat(plays) {
  const found = [null, null, null, null];
  for (const play of plays) {
    const earlier = found[play.seat] ? [...found[play.seat].earlier, found[play.seat].play] : [];
    found[play.seat] = { play, earlier: earlier.filter((one) => !one.pass) };
  }
  return found;
}

/** The wild card of a deal (逢人配): the heart of the level, in Guandan. */
export const wildCard = (match) => (match?.game === "guandan" && match.level ? `H${match.level}` : null);

class PzTable extends Part {
  parts = ["match", "seats", "trick", "results", "link"];

  show() {
    const { match, trick, seats = [], results = [] } = store.state;
    const plays = bySeat(trick?.plays ?? []);
    const best = bestPlay(match);
    const mode = cameras().length ? ui.mode : "drawing";
    this.dataset.mode = mode;
    this.dataset.picture = String(cameras().length > 0);
    this.dataset.over = String(Boolean(trick?.over));
    patch(this,
      h("pz-picture", { key: "picture", hidden: !cameras().length }),
      h("div", { key: "felt", class: "felt" },
        PLACES.map((place, index) => {
          const seat = (ui.bottom + index) % 4;
          const known = seats.find((one) => one.seat === seat) ?? { seat, side: seat % 2 };
          return this.seat(place, known, plays[seat], match, best);
        }),
        h("div", { key: "middle", class: "middle" },
          h("pz-clock", { key: "clock" }),
          this.note(match, trick, results))),
      h("div", { key: "views", class: "views", role: "group", "aria-label": t("views") },
        // Where no camera looks there is but the drawing.
        cameras().length > 0 && ["drawing", "both", "picture"].map((mode) => h("button", {
          type: "button", "aria-pressed": String(ui.mode === mode), onclick: () => choose({ mode }),
        }, t(`mode_${mode}`))),
        h("button", { type: "button", onclick: turnTable, title: t("turn_hint") }, `${t("turn_table")}`)));
  }

  seat(place, seat, done, match, best) {
    const play = done?.play;
    const wild = wildCard(match);
    const side = place === "left" || place === "right";
    return h("section", {
      key: `seat${seat.seat}`, class: `seat ${place} side${seat.side}${seat.turn ? " turn" : ""}`, "data-seat": String(seat.seat),
      "aria-label": player(seat.seat),
    },
    h("header", {},
      h("span", { class: "name" }, h("b", {}, player(seat.seat)), h("small", {}, t("seat_number", { seat: seat.seat }))),
      this.count(seat),
      seat.called !== null && seat.called !== undefined && h("span", { class: "called" }, t("called", { count: seat.called })),
      seat.finished && h("span", { class: "place" }, t(`finish_${seat.finished}`)),
      seat.turn && h("span", { class: "now" }, sign("turn"), t("on_turn"))),
    h("div", { class: `played${play && play.seq === best ? " best" : ""}` },
      done?.earlier?.length > 0 && h("div", { class: "before", title: t("earlier_plays") }, done.earlier.slice(-2).map((one) => fan(one.cards, { most: 14, wild }))),
      play?.pass && h("p", { class: "pass" }, t("passes")),
      play && !play.pass && fan(play.cards, { most: side ? 7 : 10, doubtful: play.doubtful, wild }),
      play?.says && h("p", { class: "says" }, `“${play.says}”`),
      play?.doubtful && h("p", { class: "doubt" }, sign("check"), t("reading_doubtful"))));
  }

  /** The cards that a seat has left; a count that its calls contradict is marked as such, in a word too. */
  count(seat) {
    const unsure = seat.remaining_sure === false && typeof seat.remaining === "number";
    const what = unsure ? t("count_unsure", { who: player(seat.seat), count: seat.remaining }) : null;
    return h("span", { class: unsure ? "count unsure" : "count", title: what, "aria-label": what, role: unsure ? "img" : null },
      h("b", {}, unsure ? `≈${seat.remaining}` : seat.remaining ?? "–"), h("small", {}, t("cards_unit")));
  }

  note(match, trick, results) {
    const view = match?.view ?? {};
    const last = results.find((one) => one.deal === match?.deal);
    return h("div", { class: "note" },
      view.trump !== undefined && match?.game === "shengji" && h("p", { class: "trump" }, t("trump"), h("b", {}, view.trump ? SUITS[view.trump] ?? view.trump : "–")),
      view.points !== undefined && h("p", { class: "points" }, t("points"), h("b", {}, view.points)),
      last ? h("p", { class: "result" }, both(last.text)) :
        trick?.over && trick.plays?.length ? h("p", { class: "past" }, t("trick_over")) :
          match?.deal ? h("p", { class: "trick" }, t("trick_number", { number: (trick?.number ?? 0) + (match.game === "shengji" ? 1 : 0) })) : null,
      (!match?.profile || match.ended) && mayAct() && h("a", { class: "button strong", href: "/display/setup" }, t("new_match")));
  }
}

function cameras() { return store.state.table?.cameras ?? []; }

/** Number of the play that is to be beaten; null where the game does not say. */
function bestPlay(match) {
  return (match?.view?.on_table ?? []).at(-1)?.event ?? null;
}

customElements.define("pz-table", PzTable);
