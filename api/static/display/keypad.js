// A keypad of cards: those that can still exist, how many of each; by touch, by keys, or typed as text.
import { cardWords, parseCards } from "../cards/pz-card.js";
import { h } from "./dom.js";
import { lang, t } from "./words.js";

const SUITS = { S: "♠", H: "♥", C: "♣", D: "♦" };
const RANKS = ["A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2"];

/** A card as small as a key: its rank over its suit, both whole. */
function face(name) {
  const red = name[0] === "H" || name[0] === "D" || name === "BJ";
  const joker = name === "BJ" || name === "LJ";
  const [above, below] = joker ? [lang === "zh" ? (name === "BJ" ? "大" : "小") : name, lang === "zh" ? "王" : "joker"] : [name.slice(1), SUITS[name[0]]];
  return h("span", { class: `face${red ? " red" : ""}${joker ? " joker" : ""}`, "aria-hidden": "true" }, h("b", {}, above), h("i", {}, below));
}

/**
 * The keys, a suit after the other from the ace down, then the jokers.
 * @param left how many of a card there can still be, 0 for one that cannot be
 * @param pick called with a card's name
 * @param likely names that are likeliest: marked
 */
export function keypad({ left, pick, likely = [] }) {
  const key = (name) => {
    const count = left(name);
    return h("button", {
      key: name, type: "button", class: `key${likely.includes(name) ? " likely" : ""}`, disabled: count < 1, "data-card": name,
      "aria-label": `${cardWords(name, lang)}${count < 1 ? ` ${t("cannot_be")}` : count > 1 ? ` ×${count}` : ""}`, onclick: () => pick(name),
    }, face(name), count > 1 && h("small", { "aria-hidden": "true" }, `×${count}`));
  };
  return h("div", { class: "keypad", role: "group", "aria-label": t("keypad") },
    // The jokers stand where a row of seven has room.
    ["S", "H", "C", "D"].map((suit) => h("div", { class: "suit", key: suit }, RANKS.map((rank) => key(suit + rank)), suit === "S" && key("BJ"), suit === "H" && key("LJ"))));
}

/** The cards chosen so far, each a button that takes it out again. */
export function chosenCards(cards, drop, active = null) {
  return h("div", { class: "chosen", role: "group", "aria-label": t("chosen_cards") },
    cards.length ? cards.map((name, place) => h("button", {
      key: `${place}${name}`, type: "button", "aria-pressed": active === null ? null : String(active === place),
      "aria-label": active === null ? t("take_out", { card: cardWords(name, lang) }) : cardWords(name, lang), onclick: () => drop(place),
    }, h("pz-card", { name, role: "presentation" }))) : h("p", { class: "none" }, t("no_cards_yet")));
}

/** A field in which cards are typed: `S7 H7 BJ`, `♠7`, 大王; those typed are handed on as they become cards. */
export function cardField(cards, take) {
  return h("label", { class: "typed" }, h("span", {}, t("type_cards")),
    h("input", {
      type: "text", name: "cards", autocomplete: "off", spellcheck: "false", placeholder: "S7 H7 BJ",
      onchange: (event) => {
        const names = parseCards(event.target.value);
        event.target.setCustomValidity(names ? "" : t("not_cards"));
        event.target.reportValidity();
        if (names) { take([...cards, ...names]); event.target.value = ""; }
      },
      oninput: (event) => event.target.setCustomValidity(""),
      onkeydown: (event) => {
        if (event.key !== "Enter" || !event.target.value) return;
        event.preventDefault();
        event.target.dispatchEvent(new Event("change"));
      },
    }));
}

