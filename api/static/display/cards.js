// Cards on the page: as they lie in a row, and in a line of text.
import { cardText } from "../cards/pz-card.js";
import { cardList } from "./app.js";
import { h } from "./dom.js";
import { lang } from "./words.js";

/** Cards side by side, the later over the earlier, each index to be seen; in rows of at most `most`. */
export function fan(cards, { most = 10, doubtful = false, wild = null } = {}) {
  const names = cardList(cards);
  const rows = Math.ceil(names.length / most) || 1;
  const width = Math.ceil(names.length / rows);
  return h("div", { class: "fan", "data-cards": names.join(" ") }, Array.from({ length: rows }, (_, row) =>
    h("div", { class: "row" }, names.slice(row * width, (row + 1) * width).map((name) =>
      h("span", { class: "slot" }, h("pz-card", { name, wild: name === wild, doubtful }))))));
}

/** A card in a line of text: a small white card with rank and suit. */
export function chip(name) {
  const red = name[0] === "H" || name[0] === "D" || name === "BJ";
  return h("span", { class: red ? "chip red" : "chip" }, cardText(name, lang));
}

const WORD = /([♠♥♣♦](?:10|[2-9JQKA])|大王|小王)/;

/** A text with the cards in it shown as cards. */
export const withCards = (text) => text.split(WORD).filter(Boolean).map((part) => {
  if (!WORD.test(part)) return part;
  return h("span", { class: /[♥♦]|大王/.test(part) ? "chip red" : "chip" }, part);
});

/** Cards as a row of small cards. */
export const chips = (cards) => h("span", { class: "chips" }, cardList(cards).map(chip));
