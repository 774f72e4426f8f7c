// Everything by keys: one letter for what is done often; none works while somebody types.
import { choose, chooseLanguage, mayAct, mayRule, ui } from "./app.js";
import { nextDeal } from "./deals.js";
import { clockNow, openAct, passNow } from "./panel-act.js";
import { undoLast } from "./rulings.js";
import { turnTable } from "./pz-table.js";
import { lang } from "./words.js";

const panel = (name) => choose({ panel: ui.panel?.name === name ? null : { name } });
const press = (selector) => {
  const item = document.activeElement?.closest?.("pz-queue .item") ?? document.querySelector("pz-queue .item:not(.gone)");
  item?.querySelector(selector)?.click();
};
const modes = ["drawing", "both", "picture"];

/** Key to: word of the catalogue, what it does, who may. */
const KEYS = {
  P: ["key_pass", passNow, mayAct], M: ["act_play", () => openAct("play"), mayAct], C: ["act_count_called", () => openAct("count_called"), mayAct],
  E: ["act_exposed", () => openAct("exposed"), mayAct], O: ["act_moved", () => openAct("moved"), mayAct], B: ["act_taken_back", () => openAct("taken_back"), mayAct],
  T: ["act_throw_stopped", () => openAct("throw_stopped"), mayAct], F: ["act_throw_forced", () => openAct("throw_forced"), mayAct],
  S: ["key_clock", clockNow, mayAct], N: ["next_deal", nextDeal, mayRule], Z: ["key_undo", undoLast, mayAct], A: ["more_acts", () => panel("acts"), mayAct],
  Q: ["key_queue", () => document.querySelector("pz-queue .item button, pz-queue .item select")?.focus()],
  U: ["key_uphold", () => press(".uphold"), mayRule], D: ["key_dismiss", () => press(".dismiss"), mayRule],
  L: ["key_log", () => document.querySelector("pz-log ol button")?.focus()], "/": ["search", () => document.getElementById("search")?.focus()],
  R: ["turn_table", turnTable], V: ["key_view", () => choose({ mode: modes[(modes.indexOf(ui.mode) + 1) % 3] })],
  H: ["health", () => panel("health")], G: ["graphics", () => panel("graphics")], X: ["record", () => panel("record")],
  I: ["key_language", () => chooseLanguage(lang === "zh" ? "en" : "zh")], "?": ["keys", () => panel("keys")], Esc: ["key_close", () => choose({ panel: null })],
};

/** What the page lists: key and word. */
export const SHORTCUTS = Object.entries(KEYS).map(([key, [word]]) => [key, word]);

/** Listen for keys. */
export function listen() {
  addEventListener("keydown", (event) => {
    const field = event.target.closest?.("input, select, textarea");
    if (event.key === "Escape") {
      if (ui.panel) choose({ panel: null });
      else field?.blur();
      return;
    }
    if (field || event.altKey) return;
    // Ctrl+Z as everywhere; other combinations are the browser's.
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() !== "z" || !mayAct()) return;
      event.preventDefault();
      return undoLast();
    }
    const found = KEYS[event.key.length === 1 ? event.key.toUpperCase() : event.key];
    if (!found || event.repeat) return;
    const [, work, may] = found;
    if (may && !may()) return;
    event.preventDefault();
    work();
  });
  // Lists are walked with the arrows.
  addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const list = event.target.closest?.("pz-log ol, pz-queue ol.waiting");
    if (!list) return;
    const stops = [...list.querySelectorAll(list.closest("pz-log") ? "li > button" : ".act button")];
    const place = stops.indexOf(document.activeElement);
    const next = stops[Math.max(0, Math.min(stops.length - 1, place + (event.key === "ArrowDown" ? 1 : -1)))];
    next?.focus();
    event.preventDefault();
  });
}

