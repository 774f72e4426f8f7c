// What CasparCG, SPX and other playout systems call on a template: play, stop, next, update. Data comes as JSON or as
// CasparCG's XML; what is not understood changes nothing and shows nothing.

import { hexColour } from "./colours.js";
import { GRAPHICS } from "./stage.js";

const MANUAL = ["names", "hands"];

/** Settings from the name of a graphic and a set of parameters (an address, or the data of a template). */
export function settingsOf(name, asked) {
  const one = name in GRAPHICS;
  const sides = (asked.get("sides") ?? "").split(",").map(hexColour);
  const stale = Number(asked.get("stale_s") || NaN);
  return {
    graphics: one ? [name] : Object.keys(GRAPHICS),
    always: one && (MANUAL.includes(name) || asked.get("stay") === "1") ? [name] : [],
    lang: asked.get("lang") === "en" ? "en" : "zh",
    theme: asked.get("theme") === "light" ? "light" : "dark",
    layout: asked.get("layout") === "vertical" ? "vertical" : "1080p",
    sides: sides.length === 2 && sides.every(Boolean) ? sides : null,
    key: hexColour(asked.get("bg")),
    safe: asked.get("safe") === "1",
    playing: asked.get("manual") !== "1",
    ...(stale > 0 ? { stale } : {}),
  };
}

/** Data of a template as an object: an object, JSON, or `<templateData>` with `<componentData id="f0">`. */
export function templateData(data) {
  if (data && typeof data === "object") return data;
  const text = String(data ?? "").trim();
  if (!text) return {};
  if (text[0] !== "<") {
    try {
      const found = JSON.parse(text);
      return found && typeof found === "object" ? found : {};
    } catch {
      return {};
    }
  }
  const found = {};
  const tree = new DOMParser().parseFromString(text, "text/xml");
  for (const part of tree.querySelectorAll("componentData")) {
    found[part.getAttribute("id")] = part.querySelector("data")?.getAttribute("value") ?? part.textContent.trim();
  }
  return found;
}

/** What template data says of the match: names of players, levels, titles, for a graphic without a feed. */
export function matchOf(data, before = {}) {
  const players = [0, 1, 2, 3].map((seat) => data[`player${seat}`] ?? before.players?.[seat] ?? "");
  const levels = [0, 1].map((side) => data[`level${side}`] ?? before.levels?.[side] ?? "");
  const more = data.title === undefined ? {} : { title: data.title };
  return { deal: 0, ...before, ...more, players, levels };
}

/** The functions on `target` (the window): `connect(data)` gets what data may say of a server, `named` gives fields names. */
export function install(overlay, connect = () => {}, target = window, named = (data) => data) {
  const tell = (data) => {
    const known = named(templateData(data));
    if (Object.keys(known).some((key) => /^(player|level|title)/.test(key))) {
      overlay.change("match", matchOf(known, overlay.state.match), 0);
    }
    if (known.lang || known.theme || known.graphic) {
      const { lang, theme } = overlay.settings;
      const asked = new Map(Object.entries({ lang, theme, ...known }));
      const { graphics, always, ...rest } = settingsOf(known.graphic ?? "", asked);
      overlay.set({ lang: rest.lang, theme: rest.theme, ...(known.graphic ? { graphics, always } : {}) });
    }
    connect(known);
  };
  // Waiting templates must paint nothing before they are played; pages of browser sources play at once.
  target.play = () => { overlay.play(true); };
  target.stop = () => { overlay.play(false); };
  target.next = () => { overlay.play(!overlay.settings.playing); };
  target.update = tell;
}
