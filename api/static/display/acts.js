// Events that people enter by hand: which fields each has, what stands in them already, and which game knows them.
import { cardList, store, turnSeat } from "./app.js";
import { t } from "./words.js";

const lastPlay = () => (store.state.trick?.plays ?? []).filter((play) => !play.pass).at(-1) ?? null;
const turn = () => turnSeat() ?? 0;
const view = () => store.state.match?.view ?? {};
const leads = () => (store.state.trick?.plays ?? [])[0] ?? null;

/** Fields: `seat`, `to`, `of`, `count`, `cards`, `card`, `what`, `consent`, `seats`, `suit`, `says`; `?` may be left out. */
export const ACTS = {
  play: { fields: ["seat", "cards", "says?"], start: () => ({ seat: turn() }) },
  pass: { fields: ["seat"], start: () => ({ seat: turn() }) },
  count_called: { game: "guandan", fields: ["seat", "count"], start: () => ({ seat: lastPlay()?.seat ?? turn() }) },
  count_asked: { game: "guandan", fields: ["seat", "of"], start: () => ({ seat: turn(), of: (turn() + 1) % 4 }) },
  exposed: { fields: ["seat", "cards"], start: () => ({ seat: turn() }) },
  taken_back: {
    fields: ["seat", "cards", "consent"],
    start: () => ({ seat: lastPlay()?.seat ?? turn(), cards: cardList(lastPlay()?.cards), offered: cardList(lastPlay()?.cards), consent: false }),
  },
  moved: { fields: ["seat", "what"], start: () => ({ seat: (turn() + 1) % 4, what: t("what_out_of_turn") }) },
  throw_stopped: { game: "shengji", fields: ["seat", "cards?"], start: () => ({ seat: ((leads()?.seat ?? turn()) + 1) % 4 }) },
  throw_forced: { game: "shengji", fields: ["seat", "cards"], start: () => ({ seat: leads()?.seat ?? turn(), cards: [], offered: cardList(leads()?.cards) }) },
  tribute: { game: "guandan", fields: ["seat", "to", "card?"], start: () => tribute("payers", "winners") },
  tribute_return: { game: "guandan", fields: ["seat", "to", "card?"], start: () => tribute("winners", "payers") },
  tribute_refused: { game: "guandan", fields: ["seats", "cards?"], start: () => ({ seats: [...(view().tribute?.payers ?? [])] }) },
  turned_up: { fields: ["seat", "card"], start: () => ({ seat: turn() }) },
  draw_ended: { fields: [], start: () => ({}) },
  trump_shown: { game: "shengji", fields: ["seat", "cards"], start: () => ({ seat: turn() }) },
  trump_named: { game: "shengji", fields: ["seat", "suit"], start: () => ({ seat: view().banker ?? turn() }) },
  kitty_turned: { game: "shengji", fields: ["card"], start: () => ({}) },
  kitty_taken: { game: "shengji", fields: ["seat"], start: () => ({ seat: view().banker ?? turn() }) },
  kitty_laid: { game: "shengji", fields: ["seat"], start: () => ({ seat: view().banker ?? turn() }) },
  kitty_revealed: { game: "shengji", fields: ["cards"], start: () => ({}) },
  hand_count: { fields: ["seat", "count"], start: () => ({ seat: turn() }) },
};

function tribute(from, to) {
  const told = view().tribute ?? {};
  return { seat: told[from]?.[0] ?? turn(), to: told[to]?.[0] ?? (turn() + 2) % 4 };
}

/** Those of a game, in the order in which they are listed. */
export const actsOf = (game) => Object.entries(ACTS).filter(([, act]) => !act.game || !game || act.game === game).map(([name]) => name);

/** The event of an act with what stands in its fields; fields that may be left out are, where they are empty. */
export function eventOf(name, values) {
  const event = { event: name };
  for (const spec of ACTS[name].fields) {
    const field = spec.replace("?", "");
    const value = values[field];
    if (field === "cards") {
      if (value?.length) event.cards = value.join(" ");
    } else if (value !== undefined && value !== null && value !== "") event[field] = value;
  }
  return event;
}

/** The first field that is needed and empty; null where nothing is missing. */
export function missing(name, values) {
  const needed = ACTS[name].fields.filter((spec) => !spec.endsWith("?"));
  return needed.find((field) => {
    const value = values[field];
    return value === undefined || value === null || value === "" || (Array.isArray(value) && !value.length);
  }) ?? null;
}

/** How many packs are in play. */
export const packs = () => store.state.match?.packs ?? 2;

/** How many of each card may still be in hands, by what was shown in this deal: the name to a number. */
export function stillThere(log = store.state.log ?? []) {
  const start = log.findLastIndex((entry) => entry.event === "deal_started" || entry.event === "deal_voided");
  const shown = {};
  for (const entry of log.slice(start + 1)) {
    // What was corrected counts as it is now, and what is void not at all.
    const one = entry.voided_by ? entry.now : entry;
    const by = { play: 1, taken_back: -1 }[one?.event] ?? 0;
    for (const card of by ? one.cards ?? [] : []) shown[card] = (shown[card] ?? 0) + by;
  }
  const all = packs();
  return (card) => Math.max(0, all - Math.max(0, shown[card] ?? 0));
}
