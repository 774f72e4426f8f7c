// The graphics that come for a moment and leave: the last seconds of the clock, a finding that was upheld, the result of
// a deal, the names of the players; and the four hands, once they may be seen.

import { html } from "./patch.js";
import { card, dealRuns, playersOf, sideNames } from "./graphics.js";

export const CLOCK_FROM_S = 10;
const FINDING_S = 12;
const RESULT_S = 15;
const NAMES_S = 10;

/** Seconds left on a clock part that is `age` seconds old. */
export function secondsLeft(clock, wait, age) {
  return wait.left === null || wait.left === undefined ? null : clock.stopped ? wait.left : wait.left - age;
}

/** The wait that ends first, if it is in its last seconds. */
export function runningOut(see) {
  const clock = see.state.clock;
  if (!clock || see.state.control?.correcting || see.silent()) return null;
  const waits = (clock.waits ?? [])
    .map((wait) => ({ ...wait, now: secondsLeft(clock, wait, see.age("clock")) }))
    .filter((wait) => wait.now !== null && wait.now <= CLOCK_FROM_S)
    .sort((a, b) => a.now - b.now);
  return waits[0] ?? null;
}

function clock(see) {
  const wait = runningOut(see);
  if (!wait || !dealRuns(see)) return null;
  const left = Math.max(0, Math.ceil(wait.now));
  const share = Math.min(1, Math.max(0, wait.now / CLOCK_FROM_S));
  return html`<div class="who" data-key="who"><i class="stripe side-${wait.seat % 2}"></i>
      <span>${playersOf(see)[wait.seat]}</span></div>
    <b class="digits ${left <= 5 ? "late" : ""}" data-key="digits">${left}</b>
    <i class="bar ${left <= 5 ? "late" : ""}" data-key="bar" style="--share:${share.toFixed(3)}"></i>`;
}

function finding(see) {
  const found = see.state.upheld?.[0];
  if (!found || see.state.control?.correcting || !see.within("upheld", FINDING_S)) return null;
  const article = found.article?.[see.lang] ?? found.article;
  if (typeof article !== "string" || !article) return null;
  const player = playersOf(see)[found.seat] ?? "";
  const penalty = penaltyText(see, found.penalty);
  return html`
    <div class="title" data-key="title"><b>${see.t("ruling")}</b><span class="rule">${found.rule}</span></div>
    <div class="body" data-key="body">
      <div class="line">${player ? html`<i class="stripe side-${found.seat % 2}"></i>` : ""}<span>${player}</span>
        ${penalty ? html`<b class="penalty">${penalty}</b>` : ""}</div>
      <div class="article">${article}</div>
    </div>`;
}

function penaltyText(see, penalty) {
  const kind = penalty?.kind;
  return kind && see.has(`penalty_${kind}`) ? see.t(`penalty_${kind}`, { amount: Math.abs(penalty.amount ?? 1) }) : "";
}

function result(see) {
  const last = (see.state.results ?? []).at(-1);
  if (!last || see.state.control?.correcting || !see.within("results", RESULT_S)) return null;
  const told = last.result ?? {};
  const title = html`<div class="title" data-key="title"><b>${see.t("deal", { deal: last.deal })}</b>
    <span>${see.t("result")}</span></div>`;
  if (told.replay) return html`${title}<div class="big" data-key="big">${see.t("replay")}</div>`;
  const finish = told.finish ?? [];
  const order = finish.length ? html`<div class="order" data-key="order">${finish.map((seat, at) => html`
    <div class="one"><i class="stripe side-${seat % 2}"></i><small>${see.t(`place_${at + 1}`)}</small>
      <span>${playersOf(see)[seat]}</span></div>`)}</div>` : "";
  const points = !finish.length && Number.isFinite(told.points) ? html`<div class="order" data-key="points">
    <div class="one"><small>${see.t("attackers")}</small><b class="number">${told.points}</b></div>
    ${playersOf(see)[told.next_banker] ? html`<div class="one"><small>${see.t("next_banker")}</small>
      <span>${playersOf(see)[told.next_banker]}</span></div>` : ""}</div>` : "";
  return html`${title}${order}${points}${gain(see, told)}`;
}

function gain(see, told) {
  if (told.side !== 0 && told.side !== 1) return "";
  const rise = Number.isFinite(told.rise) ? see.t(told.rise > 0 ? "rise" : "rise_none", { rise: told.rise }) : "";
  const levels = told.levels ?? see.state.match?.levels;
  return html`<div class="gain" data-key="gain">
    <div class="won side-${told.side}"><span>${sideNames(see, told.side)}</span><b>${rise}</b></div>
    ${levels ? html`<div class="levels"><small>${see.t("new_levels")}</small>
      <b class="level side-0">${levels[0]}</b><b class="level side-1">${levels[1]}</b></div>` : ""}</div>`;
}

function names(see) {
  const match = see.state.match;
  if (!match || !playersOf(see).some(Boolean)) return null;
  const quiet = !(see.state.trick?.plays ?? []).length;
  if (!see.always && !(quiet && see.within("deal", NAMES_S))) return null;
  return html`
    <div class="title" data-key="title"><b>${match.title ?? match.profile?.[see.lang] ?? ""}</b><span>${match.table ?? ""}</span></div>
    ${[0, 1].map((side) => html`<div class="plate" data-key="plate-${side}"><i class="stripe side-${side}"></i>
      <span class="names">${sideNames(see, side)}</span><b class="level side-${side}">${match.levels?.[side] ?? ""}</b></div>`)}`;
}

/** Only by hand, or where it is the graphic asked for: hands that may be seen are for the talk after the deal. */
function hands(see) {
  const told = see.state.hands;
  if (!told?.hands || !see.always) return null;
  // While the deal runs (on an output that is late enough): what each still holds; afterwards, what each was dealt.
  const shown = dealRuns(see) ? { ...told.hands, ...(told.left ?? {}) } : told.hands;
  const kitty = see.state.hands.kitty ?? [];
  return html`<div class="title" data-key="title"><b>${see.t("hands")}</b>
      <span>${see.t("deal", { deal: see.state.hands.deal })}</span></div>
    ${[0, 1, 2, 3].map((seat) => html`<div class="hand" data-key="hand-${seat}"><i class="stripe side-${seat % 2}"></i>
      <span class="who">${playersOf(see)[seat]}</span>
      <div class="cards" style="--n:${(shown[seat] ?? []).length}">${(shown[seat] ?? []).map((name) => card(name))}</div></div>`)}
    ${kitty.length ? html`<div class="hand" data-key="kitty"><i class="stripe"></i><span class="who">${see.t("kitty")}</span>
      <div class="cards" style="--n:${kitty.length}">${kitty.map((name) => card(name))}</div></div>` : ""}`;
}

export const MOMENTS = { clock, finding, result, names, hands };
