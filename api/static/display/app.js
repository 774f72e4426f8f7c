// What the parts of a page share: the state of the table, what this person chose to see, and how to be told of changes.
import { ask, Problem } from "./http.js";
import { Store } from "./store.js";
import { both, lang, speak, t } from "./words.js";

export const store = new Store();
export const session = { role: "viewer", name: "", table: "", languages: ["zh", "en"] };

const KEPT = ["theme", "bottom", "mode", "camera"];

/** What this person chose; what is to survive a reload lies in the browser. */
export const ui = {
  theme: localStorage.getItem("paizhuo-theme") ?? "dark",
  bottom: Number(localStorage.getItem("paizhuo-bottom") ?? 0),
  mode: localStorage.getItem("paizhuo-mode") ?? "drawing",
  camera: localStorage.getItem("paizhuo-camera") ?? "",
  panel: null,
  notice: null,
};
const watchers = new Set();
store.addEventListener("change", ({ detail }) => tell(detail));
store.addEventListener("link", () => tell(new Set(["link"])));

function tell(parts) {
  for (const watcher of [...watchers]) if (!parts || watcher.parts.some((part) => parts.has(part))) watcher.show();
}

/** Change what is chosen, and show it. */
export function choose(changes) {
  Object.assign(ui, changes);
  for (const name of KEPT) if (name in changes) localStorage.setItem(`paizhuo-${name}`, String(ui[name]));
  document.documentElement.dataset.theme = ui.theme;
  tell(null);
}

/** Change the language of the page, at once. */
export function chooseLanguage(wanted) {
  speak(wanted);
  tell(null);
}

/** A part of the page: drawn anew by `show` when one of `parts` of the state, or anything chosen, changes. */
export class Part extends HTMLElement {
  parts = [];

  connectedCallback() {
    watchers.add(this);
    this.show();
  }

  disconnectedCallback() { watchers.delete(this); }
}

export const mayRule = () => session.role === "referee";
export const mayAct = () => session.role === "referee" || session.role === "operator";
/** Whether this person looks after the set-up; the local user of a table without tokens does. */
export const mayTend = () => (session.roles ?? [session.role]).includes("operator");

/** Name of a seat's player; its number where nobody named one. */
export function player(seat) {
  if (seat === null || seat === undefined) return t("nobody");
  return store.state.match?.players?.[seat] || t("seat_number", { seat });
}

/** A text of the record with names in place of the numbers of seats. */
export function named(text) {
  const pattern = lang === "zh" ? /([0-3])号位/g : /\bseat ([0-3])\b/g;
  const said = both(text);
  return said.replace(pattern, (whole, seat, place) => {
    const name = store.state.match?.players?.[seat];
    // Where the text itself names who sits there, the number stays: "0号位 张建国".
    return !name || said.startsWith(` ${name}`, place + whole.length) ? whole : name;
  });
}

/** Cards however they are given: a list, or one string. */
export const cardList = (cards) => (Array.isArray(cards) ? cards : typeof cards === "string" ? cards.split(/\s+/).filter(Boolean) : []);

/** A time of the record, h:mm:ss. */
export function clockTime(at) {
  if (at === null || at === undefined) return "–";
  const seconds = Math.max(0, Math.floor(at));
  const two = (n) => String(n).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  return `${hours ? `${hours}:` : ""}${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** The seat whose turn it is, by the state; null where nobody's. */
export function turnSeat() {
  const seats = store.state.seats ?? [];
  const turn = seats.find((one) => one.turn);
  return turn ? turn.seat : store.state.clock?.waits?.[0]?.seat ?? null;
}

/** Say something at the foot of the page for a while. `kind`: "done", "trouble". */
export function notice(kind, text, undo = null) {
  choose({ notice: { kind, text, undo, id: Symbol("notice") } });
  const { id } = ui.notice;
  setTimeout(() => { if (ui.notice?.id === id) choose({ notice: null }); }, kind === "done" ? 6000 : 12000);
}

/** Do something that the table may refuse; a Problem is said at the foot of the page. True where it was done. */
export async function attempt(work, done) {
  try {
    await work();
    if (done) notice("done", done);
    return true;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    notice("trouble", error.say(lang));
    return false;
  }
}

/** An event that merely happens, by hand. */
export const input = (event) => ask("POST", "inputs", event);

