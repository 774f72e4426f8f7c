// <pz-overlay>: the picture that lies over the video. It keeps the state of the table as the feed tells it, and lets each
// graphic come and leave. The same element serves browser sources, OGraf and CasparCG.

import { sideColours, hexColour } from "./colours.js";
import { STANDING } from "./graphics.js";
import { MOMENTS } from "./moments.js";
import { fit, patch } from "./patch.js";
import { STYLE } from "./style.js";
import { WORDS } from "./words.js";

export const GRAPHICS = { ...STANDING, ...MOMENTS };
export const SIZES = { "1080p": [1920, 1080], vertical: [1080, 1920] };
const STALE_S = 60;
const SILENT_MS = 4000;
const TICK_MS = 100;
/** The score bug, px: as narrow and as wide as it may be; stripe, margins and level beside the names. */
const BUG = { least: 470, most: 760, beside: 142 };

const DEFAULTS = {
  graphics: Object.keys(GRAPHICS), lang: "zh", theme: "dark", layout: "1080p", sides: null, key: null, safe: false,
  always: [], stale: STALE_S, playing: true,
};

export class PzOverlay extends HTMLElement {
  constructor() {
    super();
    this.settings = { ...DEFAULTS };
    this.state = {};
    this.since = {};
    this.taken = {};
    this.heard = null;
    this.dirty = true;
    const root = this.attachShadow({ mode: "open" });
    root.innerHTML = `<style>${STYLE}</style><div class="stage"><div class="safe" hidden></div>${
      Object.keys(GRAPHICS).map((name) => `<section class="g" data-graphic="${name}"></section>`).join("")}</div>`;
    this.stage = root.querySelector(".stage");
    this.sections = Object.fromEntries([...root.querySelectorAll(".g")].map((one) => [one.dataset.graphic, one]));
  }

  connectedCallback() {
    this.fit = () => this.scale();
    window.addEventListener("resize", this.fit);
    this.timer = setInterval(() => this.render(), TICK_MS);
    this.set({});
  }

  disconnectedCallback() {
    window.removeEventListener("resize", this.fit);
    clearInterval(this.timer);
  }

  /** Change settings; those that are not named stay. */
  set(settings) {
    this.settings = { ...this.settings, ...settings };
    const { theme, layout, key, safe, lang } = this.settings;
    this.stage.className = `stage ${theme} ${layout === "vertical" ? "vertical" : "wide"} ${key ? "keyed" : ""}`;
    this.stage.lang = lang === "zh" ? "zh-Hans" : "en";
    this.shadowRoot.querySelector(".safe").hidden = !safe;
    this.paint();
    this.scale();
    this.show();
  }

  paint() {
    const asked = this.settings.sides ?? this.state.match?.colours;
    const { sides, inks } = sideColours(asked, this.settings.theme, hexColour(this.settings.key));
    sides.forEach((colour, side) => {
      this.stage.style.setProperty(`--side-${side}`, colour);
      this.stage.style.setProperty(`--ink-${side}`, inks[side]);
    });
  }

  /** How wide the score bug is: its names at full size, within bounds; what stands beside it moves with it. */
  measure() {
    const text = document.createElement("canvas").getContext("2d");
    const { fontWeight, fontSize, fontFamily } = getComputedStyle(this.stage);
    text.font = `${fontWeight} ${fontSize} ${fontFamily}`;
    const players = this.state.match?.players ?? [];
    const widest = Math.max(...[0, 1].map((side) => text.measureText([players[side], players[side + 2]].filter(Boolean).join(" · ")).width));
    this.stage.style.setProperty("--bug", `${Math.min(BUG.most, Math.max(BUG.least, Math.ceil(widest) + BUG.beside))}px`);
  }

  scale() {
    const [width, height] = SIZES[this.settings.layout] ?? SIZES["1080p"];
    const factor = Math.min((this.clientWidth || width) / width, (this.clientHeight || height) / height);
    this.stage.style.transform = factor === 1 ? "" : `scale(${factor})`;
  }

  /** Take a message of the feed. */
  hear(message) {
    this.heard = performance.now();
    if (message.type === "snapshot") this.begin(message.state ?? {}, message.age ?? {});
    else if (message.type === "change") this.change(message.part, message.value, 0);
  }

  /** The whole state: parts that it does not name are gone. */
  begin(state, age) {
    // A service that was restarted during a hold no longer knows what is held; this picture does.
    if (this.state.match && !state.match && state.control?.graphics === "hold") state = { ...this.state, control: state.control };
    for (const part of Object.keys(this.state)) if (!(part in state)) delete this.state[part];
    for (const [part, value] of Object.entries(state)) this.change(part, value, age[part] ?? 0);
    this.show();
  }

  change(part, value, age) {
    const before = this.state[part];
    this.note(part, value, before, performance.now() - age * 1000);
    if (value === null || value === undefined) delete this.state[part];
    else this.state[part] = value;
    if (part === "match") {
      this.paint();
      this.measure();
    }
    this.show();
  }

  /** Since when there is something new to say. What was said before and comes again is not said twice. */
  note(part, value, before, at) {
    if (part === "clock") this.since.clock = at;
    if (part === "match" && value?.deal !== before?.deal) this.since.deal = at;
    const known = { upheld: (one) => one?.finding, results: (one) => one?.deal }[part];
    if (!known) return;
    const newest = part === "upheld" ? value?.[0] : value?.at(-1);
    const ids = (before ?? []).map(known);
    if (newest && !ids.includes(known(newest))) this.since[part] = at;
    else if (newest && known(newest) !== known(part === "upheld" ? before[0] : before.at(-1))) this.since[part] = -Infinity;
  }

  /** Show or keep off a graphic by hand; undefined leaves it to itself. */
  take(name, on) {
    this.taken = { ...this.taken, [name]: on };
    this.show();
  }

  /** Everything may come (true) or leaves (false). */
  play(playing = true) {
    this.set({ playing });
  }

  show() {
    this.dirty = true;
    if (this.isConnected) this.render();
  }

  /** Let graphics come, change and leave; between messages only what depends on time is looked at. */
  render() {
    const control = this.state.control ?? {};
    const held = control.graphics === "hold";
    const all = this.dirty;
    this.dirty = false;
    const silence = this.heard === null ? 0 : (performance.now() - this.heard) / 1000;
    const off = !this.settings.playing || control.graphics === "clear" || silence > this.settings.stale;
    this.stage.classList.toggle("still", this.heard === null);
    const taken = { ...(control.taken ?? {}), ...this.taken };
    const shown = {};
    for (const [name, draw] of Object.entries(GRAPHICS)) {
      if (held && name !== "clock" && !off) continue;
      if (!all && !off && name in STANDING) continue;
      const wanted = this.settings.graphics.includes(name) && !off && taken[name] !== false && !(held && name === "clock");
      shown[name] = wanted ? draw(this.sight(name, taken)) : null;
    }
    const others = this.settings.graphics.length > 1;
    if (shown.hands && others) shown.names = shown.result = shown.finding = shown.seats = shown.trick = null;
    else if (!all && "hands" in shown && this.sections.hands.classList.contains("on")) this.dirty = true;
    if (shown.names && others) shown.seats = shown.trick = null;
    else if (!all && "names" in shown && this.sections.names.classList.contains("on") && !shown.names) this.dirty = true;
    for (const [name, markup] of Object.entries(shown)) {
      const section = this.sections[name];
      if (markup && patch(section, markup)) fit(section);
      section.classList.toggle("on", Boolean(markup));
    }
  }

  /** What a graphic sees of the table. */
  sight(name, taken) {
    const { lang, always } = this.settings;
    return {
      state: this.state,
      lang,
      always: always.includes(name) || taken[name] === true,
      t: (key, fields = {}) => (WORDS[key]?.[lang] ?? "").replace(/\{(\w+)\}/g, (whole, field) => fields[field] ?? ""),
      has: (key) => key in WORDS,
      age: (part) => (performance.now() - (this.since[part] ?? performance.now())) / 1000,
      within: (part, seconds) => always.includes(name) || taken[name] === true ||
        performance.now() - (this.since[part] ?? -Infinity) <= seconds * 1000,
      silent: () => this.heard !== null && performance.now() - this.heard > SILENT_MS,
    };
  }
}

/** The element under its name, once. */
export function define() {
  if (!customElements.get("pz-overlay")) customElements.define("pz-overlay", PzOverlay);
}
