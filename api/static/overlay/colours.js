// The two side colours of a match: told apart by everybody, readable on the panel, with an ink that reads on them.

/** Pairs that pass on their theme: blue and orange differ for every kind of colour vision, in hue and in lightness. */
export const DEFAULT_SIDES = { dark: ["#2f8fe0", "#f0a202"], light: ["#0b4f94", "#a34a00"] };
const PANEL = { dark: "#0d131a", light: "#fbfbf8" };
const INKS = ["#ffffff", "#0d131a"];
const STRIPE_CONTRAST = 3;
const INK_CONTRAST = 4.5;
const APART = 0.16;

// What is left of a linear colour for people without one kind of cone (Machado, Oliveira, Fernandes 2009, severity 1).
const VISION = {
  all: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protan: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deutan: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritan: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};

/** "#rgb", "#rrggbb", with or without "#", as "#rrggbb"; null for anything else. */
export function hexColour(text) {
  const found = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.exec((text ?? "").trim());
  if (!found) return null;
  const digits = found[1].length === 3 ? [...found[1]].map((digit) => digit + digit).join("") : found[1];
  return `#${digits.toLowerCase()}`;
}

function linear(colour) {
  return [1, 3, 5].map((at) => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
}

/** Contrast of two colours as WCAG counts it, 1 to 21. */
export function contrastOf(one, other) {
  const [low, high] = [one, other].map((colour) => {
    const [r, g, b] = linear(colour);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }).sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function seen(colour, matrix) {
  const rgb = linear(colour);
  return [0, 3, 6].map((row) => Math.min(1, Math.max(0, rgb.reduce((sum, value, at) => sum + value * matrix[row + at], 0))));
}

function oklab([r, g, b]) {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** The smallest distance (OKLab) of two colours over kinds of colour vision, all of them where none are named. */
export function apart(one, other, kinds = Object.keys(VISION)) {
  return Math.min(...kinds.map((kind) => VISION[kind]).map((matrix) =>
    Math.hypot(...oklab(seen(one, matrix)).map((value, at) => value - oklab(seen(other, matrix))[at]))));
}

/** The ink that reads best on a colour. */
export function inkOn(colour) {
  return contrastOf(colour, INKS[0]) >= contrastOf(colour, INKS[1]) ? INKS[0] : INKS[1];
}

/** Why a pair of side colours cannot be used on a theme (and over a key colour); empty where it can. */
export function sideFaults(sides, theme, key = null) {
  const faults = [];
  for (const colour of sides) {
    if (contrastOf(colour, PANEL[theme]) < STRIPE_CONTRAST) faults.push(`${colour}: too close to the panel`);
    if (contrastOf(colour, inkOn(colour)) < INK_CONTRAST) faults.push(`${colour}: no ink reads on it`);
    // A keyer sees as most people do.
    if (key && apart(colour, key, ["all"]) < APART) faults.push(`${colour}: too close to the key colour`);
  }
  if (apart(...sides) < APART) faults.push(`${sides.join(" and ")}: not told apart by everybody`);
  return faults;
}

/** The pair to draw with: the one asked for where it can be used, the theme's own otherwise; with inks. */
export function sideColours(asked, theme, key = null) {
  const pair = (asked ?? []).map(hexColour);
  const usable = pair.length === 2 && pair.every(Boolean) && sideFaults(pair, theme, key).length === 0;
  const sides = usable ? pair : DEFAULT_SIDES[theme];
  return { sides, inks: sides.map(inkOn), asked: usable };
}
