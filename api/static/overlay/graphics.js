// The graphics that stand while a deal is played: score and level bug, trump and points, seats, trick. Each says when it
// has something to say; null means that it leaves.
//
// `see` is what a graphic sees: state (parts of the feed), t (words), lang, and how long a part has been as it is.

import { cardSvg } from "../cards/pz-card.js";
import { html, raw } from "./patch.js";

// As text, never as a picture of the system's own.
const SUITS = { S: "♠\uFE0E", H: "♥\uFE0E", C: "♣\uFE0E", D: "♦\uFE0E" };

export function card(name, options) {
  return html`<span class="card">${raw(cardSvg(name, options))}</span>`;
}

export function playersOf(see) {
  return see.state.match?.players ?? ["", "", "", ""];
}

/** The two names of a side, in the order of their seats. */
export function sideNames(see, side) {
  const players = playersOf(see);
  return [players[side], players[side + 2]].filter(Boolean).join(" · ");
}

/** A deal is being played: it has a number and no result yet. */
export function dealRuns(see) {
  const match = see.state.match;
  if (!match?.deal || match.ended) return false;
  return !(see.state.results ?? []).some((result) => result.deal === match.deal);
}

/** The stripe that names a side: colour, and one line or two for those who do not see colours. */
function stripe(side) {
  return html`<i class="stripe side-${side}"></i>`;
}

function bug(see) {
  const match = see.state.match;
  if (!match?.deal) return null;
  const rows = [0, 1].map((side) => html`
    <div class="row" data-key="side-${side}">${stripe(side)}<span class="names">${sideNames(see, side)}</span>
      <b class="level side-${side}">${match.levels?.[side] ?? ""}</b></div>`);
  const level = match.level ?? match.view?.level;
  return html`<div class="head" data-key="head"><span>${see.t("deal", { deal: match.deal })}</span>
    <span>${level ? see.t("level_now", { level }) : ""}</span></div>${rows}`;
}

function trump(see) {
  const match = see.state.match;
  if (!match || !dealRuns(see)) return null;
  return match.game === "shengji" ? shengjiTrump(see, match) : wildCard(see, match);
}

function wildCard(see, match) {
  const level = match.level ?? match.view?.level;
  if (!level) return null;
  return html`<div class="pair" data-key="wild"><span class="label">${see.t("wild")}</span>${card(`H${level}`)}</div>`;
}

function shengjiTrump(see, match) {
  const view = match.view ?? {};
  const named = view.trump && SUITS[view.trump];
  const red = "HD".includes(view.trump ?? " ");
  const sign = named ? html`<b class="suit ${red ? "red" : ""}">${named}</b>` :
    html`<b class="word">${see.t(view.trump ? "no_trump" : "no_trump_yet")}</b>`;
  const banker = playersOf(see)[view.banker];
  return html`
    <div class="pair" data-key="trump"><span class="label">${see.t("trump")}</span>${sign}</div>
    ${banker ? html`<div class="pair" data-key="banker"><span class="label">${see.t("banker")}</span>
      <b class="word">${banker}</b></div>` : ""}
    ${view.banker !== undefined && view.banker !== null && Number.isFinite(view.points) ? html`
      <div class="pair" data-key="points"><span class="label">${see.t("attackers")}</span>
      <b class="number">${view.points}</b></div>` : ""}`;
}

function seats(see) {
  if (!dealRuns(see)) return null;
  const list = [...(see.state.seats ?? [])].sort((a, b) => a.seat - b.seat);
  if (!list.length) return null;
  return list.map((seat) => html`
    <div class="seat ${seat.turn ? "turn" : ""}" data-key="seat-${seat.seat}">
      ${stripe(seat.seat % 2)}<span class="who">${seat.player}</span>${seatNote(see, seat)}</div>`);
}

function seatNote(see, seat) {
  if (seat.finished) return html`<b class="place">${see.t(`place_${seat.finished}`)}</b>`;
  const called = Number.isFinite(seat.called) ? html`<span class="called">${see.t("called", { count: seat.called })}</span>` : "";
  if (!Number.isFinite(seat.remaining)) return called;
  return html`${called}<span class="count"><b>${seat.remaining}</b>${called ? "" : html`<small>${see.t("left")}</small>`}</span>`;
}

function trick(see) {
  const plays = see.state.trick?.plays ?? [];
  if (!plays.length || !dealRuns(see) || see.state.control?.correcting) return null;
  const last = new Map(plays.map((play) => [play.seat, play]));
  const newest = [...last.values()].filter((play) => !play.pass).at(-1);
  return [0, 1, 2, 3].map((seat) => html`
    <div class="place" data-key="at-${seat}">${last.has(seat) ? laid(see, last.get(seat), last.get(seat) === newest) : ""}</div>`);
}

function laid(see, play, newest) {
  if (play.pass) return html`<div class="passed" data-key="seq-${play.seq}">${see.t("pass")}</div>`;
  const rows = rowsOf(play.cards ?? []);
  return html`<div class="laid ${newest ? "newest" : ""}" data-key="seq-${play.seq}">${rows.map((row, at) => html`
    <div class="cards" data-key="row-${at}" style="--n:${row.length}">${row.map((name) => card(name))}</div>`)}</div>`;
}

/** Cards in rows of at most ten, as equal as can be: what does not fit beside each other goes below. */
export function rowsOf(cards, most = 10) {
  const count = Math.max(1, Math.ceil(cards.length / most));
  const size = Math.ceil(cards.length / count);
  return Array.from({ length: count }, (_, at) => cards.slice(at * size, (at + 1) * size)).filter((row) => row.length);
}

export const STANDING = { bug, trump, seats, trick };
