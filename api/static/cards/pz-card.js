// <pz-card name="H10">: a playing card drawn as SVG, large and simple, so that it reads across a table and on a phone.
//
//   <pz-card name="S7"></pz-card>            the seven of spades
//   <pz-card name="BJ" lang="zh"></pz-card>  大王
//   <pz-card></pz-card>                      a card that lies face down
//   attributes: wild (逢人配), doubtful (its reading is in doubt), dim, colours="4" (clubs green, diamonds blue)
//
// Its size is set from outside: `pz-card { inline-size: 64px }`, or --pz-card-width. Shapes are strokes of this file:
// no font has to be there. Everything it says in words it says as its aria-label, in the language of the page.

/** The 54 names in the order of the record: S H C D from 2 to A, then LJ and BJ. */
export const CARD_NAMES = [
  ...["S", "H", "C", "D"].flatMap((suit) =>
    ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"].map((rank) => suit + rank)),
  "LJ", "BJ",
];

const SYMBOLS = { S: "♠", H: "♥", C: "♣", D: "♦" };
const SUIT_WORDS = {
  S: { zh: "黑桃", en: "spades" }, H: { zh: "红桃", en: "hearts" },
  C: { zh: "梅花", en: "clubs" }, D: { zh: "方块", en: "diamonds" },
};
const RANK_WORDS = { J: "jack", Q: "queen", K: "king", A: "ace" };
const JOKER_WORDS = { LJ: { zh: "小王", en: "little joker" }, BJ: { zh: "大王", en: "big joker" } };

// Suits in a box of 100 by 100.
const SUITS = {
  S: "M50 4C56 22 94 40 94 64C94 80 82 88 70 88C63 88 57 85 54 80C55 88 58 94 66 98H34C42 94 45 88 46 80C43 85 37 88 30 88C18 88 6 80 6 64C6 40 44 22 50 4Z",
  H: "M50 96C44 80 5 58 5 31C5 15 17 5 30 5C39 5 46 10 50 19C54 10 61 5 70 5C83 5 95 15 95 31C95 58 56 80 50 96Z",
  C: "M50 3C63 3 72 13 72 25C72 31 70 36 66 40C70 38 74 37 78 37C89 37 98 46 98 58C98 70 89 79 77 79C67 79 58 73 54 66C55 82 58 92 67 98H33C42 92 45 82 46 66C42 73 33 79 23 79C11 79 2 70 2 58C2 46 11 37 22 37C26 37 30 38 34 40C30 36 28 31 28 25C28 13 37 3 50 3Z",
  D: "M50 2C58 18 72 36 90 50C72 64 58 82 50 98C42 82 28 64 10 50C28 36 42 18 50 2Z",
};

// Ranks and the words of the jokers as strokes: [width of the box, path], every box 60 high.
const RANKS = {
  A: [46, "M4 58L23 3L42 58M11 40H35"],
  K: [44, "M6 3V58M40 3L7 38M18 27L42 58"],
  Q: [48, "M23 3C8 3 4 16 4 30C4 45 9 58 23 58C38 58 42 45 42 30C42 16 38 3 23 3M27 43L44 61"],
  J: [38, "M16 3H34M29 3V42C29 53 24 58 16 58C9 58 5 54 4 46"],
  10: [56, "M3 15L13 4V58M39 3C27 3 24 16 24 30C24 45 27 58 39 58C51 58 53 45 53 30C53 16 51 3 39 3"],
  9: [42, "M37 22C37 33 30 40 21 40C11 40 5 33 5 22C5 11 11 3 21 3C32 3 38 12 38 28C38 47 30 58 20 58C13 58 9 55 6 49"],
  8: [42, "M21 28C12 28 7 23 7 15C7 8 12 3 21 3C30 3 35 8 35 15C35 23 30 28 21 28C10 28 4 34 4 43C4 53 11 58 21 58C31 58 38 53 38 43C38 34 32 28 21 28"],
  7: [42, "M4 4H38C28 20 20 38 17 58"],
  6: [42, "M5 39C5 28 12 21 21 21C31 21 37 28 37 39C37 50 31 58 21 58C10 58 4 49 4 33C4 14 12 3 22 3C29 3 33 6 36 12"],
  5: [42, "M36 4H9L7 30C11 26 16 24 21 24C31 24 38 30 38 41C38 52 31 58 20 58C12 58 7 55 4 49"],
  4: [44, "M32 58V4L4 42H42"],
  3: [42, "M5 12C8 6 13 3 20 3C29 3 35 8 35 16C35 24 29 29 18 29C30 29 38 34 38 43C38 52 31 58 20 58C12 58 6 54 3 47"],
  2: [42, "M5 17C6 8 12 3 21 3C31 3 37 9 37 18C37 31 10 43 5 57H38"],
  大: [48, "M4 20H44M24 3C24 30 17 47 4 58M24 21C28 40 35 51 45 58"],
  小: [48, "M24 3V52C24 57 20 58 14 55M11 19C10 29 7 37 3 44M36 19C38 29 41 37 45 44"],
  王: [48, "M5 6H43M8 30H40M3 56H45M24 6V56"],
};
const CROWN = "M8 82L2 24L28 48L50 8L72 48L98 24L92 82ZM8 88H92V98H8Z";

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
:host { display: inline-block; position: relative; inline-size: var(--pz-card-width, 64px); aspect-ratio: 5 / 7; line-height: 0; }
svg { inline-size: 100%; block-size: 100%; display: block; overflow: visible; }
.paper { fill: #fff; stroke: #10161c; stroke-width: 2; }
.ink { fill: none; stroke-width: 9.5; stroke-linecap: round; stroke-linejoin: round; }
.black { --ink: #10161c; } .red { --ink: #c4001d; } .green { --ink: #00602b; } .blue { --ink: #0b4fa8; }
.ink { stroke: var(--ink); } .fill { fill: var(--ink); stroke: none; } .line { fill: none; stroke: var(--ink); stroke-width: 7; stroke-linejoin: round; }
.back { fill: #1d4f7c; } .weave { fill: none; stroke: #9fc6e8; stroke-width: 3; }
.wild { fill: #ffd54a; stroke: #10161c; stroke-width: 2; }
.doubt { fill: none; stroke: #7a2bd6; stroke-width: 7; stroke-dasharray: 13 7; }
.mark { fill: #7a2bd6; } .mark-ink { fill: none; stroke: #fff; stroke-width: 11; stroke-linecap: round; stroke-linejoin: round; }
:host([dim]) svg { opacity: .55; }
`);

/** The card for people: `♠10`, 大王. */
export function cardText(name, lang = "zh") {
  if (JOKER_WORDS[name]) return lang === "zh" ? JOKER_WORDS[name].zh : name === "BJ" ? "big joker" : "little joker";
  return SYMBOLS[name[0]] ? SYMBOLS[name[0]] + name.slice(1) : "?";
}

/** The card in words, for those who hear the page: 红桃10, "10 of hearts". */
export function cardWords(name, lang = "zh") {
  if (!name) return lang === "zh" ? "背面" : "face down";
  if (JOKER_WORDS[name]) return JOKER_WORDS[name][lang];
  const suit = SUIT_WORDS[name[0]], rank = name.slice(1);
  if (!suit) return name;
  return lang === "zh" ? suit.zh + rank : `${RANK_WORDS[rank] ?? rank} of ${suit.en}`;
}

/** Cards of a text: the record's names, symbols, T for 10, letters of either case; null where one is none. */
export function parseCards(text) {
  const names = [];
  const words = text.toUpperCase().replace(/小王/g, " LJ ").replace(/大王/g, " BJ ").replace(/[♠♤]/g, " S").replace(/[♥♡]/g, " H")
    .replace(/[♣♧]/g, " C").replace(/[♦♢]/g, " D").split(/[\s,，、]+/).filter(Boolean);
  for (const word of words) {
    const name = word.replace(/T$/, "10");
    if (!CARD_NAMES.includes(name)) return null;
    names.push(name);
  }
  return names;
}

function glyph(key, x, y, height, most = Infinity) {
  const [width, path] = RANKS[key];
  const scale = Math.min(height / 60, most / width);
  return `<path class="ink" transform="translate(${x - (width * scale) / 2} ${y}) scale(${scale})" d="${path}"/>`;
}

function shape(path, x, y, size, className = "fill") {
  return `<path class="${className}" transform="translate(${x} ${y}) scale(${size / 100})" d="${path}"/>`;
}

function face(name, four) {
  if (JOKER_WORDS[name]) {
    const big = name === "BJ";
    return `<g class="${big ? "red" : "black"}">${glyph(big ? "大" : "小", 23, 9, 34)}${glyph("王", 23, 51, 30)}` +
      `${shape(CROWN, 42, 78, 48, big ? "fill" : "line")}</g>`;
  }
  const suit = name[0], rank = name.slice(1);
  const ink = suit === "H" ? "red" : suit === "D" ? (four ? "blue" : "red") : suit === "C" && four ? "green" : "black";
  return `<g class="${ink}">${glyph(rank, 24, 8, 46, 37)}${shape(SUITS[suit], 8, 62, 31)}${shape(SUITS[suit], 39, 79, 53)}</g>`;
}

/** The SVG of a card as text, for places where no element can be (exports, other frameworks). */
export function cardSvg(name, { four = false, wild = false, doubtful = false } = {}) {
  const known = CARD_NAMES.includes(name);
  const inside = known ? face(name, four) :
    '<rect class="back" x="7" y="7" width="86" height="126" rx="6"/><path class="weave" d="M14 14L86 126M86 14L14 126M50 14V126M14 70H86"/>';
  const marks = (wild ? '<path class="wild" d="M84 4L89 15L100 16L92 24L94 35L84 29L74 35L76 24L68 16L79 15Z"/>' : "") +
    (doubtful ? '<rect class="doubt" x="4" y="4" width="92" height="132" rx="8"/><circle class="mark" cx="79" cy="22" r="19"/>' +
      '<path class="mark-ink" transform="translate(70 10) scale(.4)" d="M8 16C8 8 14 3 22 3C31 3 37 8 37 16C37 26 23 27 23 40M23 56V57"/>' : "");
  return `<svg viewBox="0 0 100 140" aria-hidden="true"><rect class="paper" x="1" y="1" width="98" height="138" rx="10"/>${inside}${marks}</svg>`;
}

/** The element; attributes are listed at the head of this file. */
export class PzCard extends HTMLElement {
  static observedAttributes = ["name", "wild", "doubtful", "colours", "lang"];

  constructor() {
    super();
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet];
  }

  connectedCallback() { this.draw(); }

  attributeChangedCallback(_name, before, after) { if (before !== after && this.isConnected) this.draw(); }

  draw() {
    const name = this.getAttribute("name") ?? "";
    const page = this.lang || document.documentElement.lang || "zh";
    this.shadowRoot.innerHTML = cardSvg(name, {
      four: this.getAttribute("colours") === "4",
      wild: this.hasAttribute("wild"),
      doubtful: this.hasAttribute("doubtful"),
    });
    if (this.getAttribute("role") === "presentation") return;
    this.setAttribute("role", "img");
    this.setAttribute("aria-label", cardWords(name, page.startsWith("zh") ? "zh" : "en"));
  }
}

if (!customElements.get("pz-card")) customElements.define("pz-card", PzCard);
