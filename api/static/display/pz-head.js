// <pz-head>: which match and how it stands; how connection, cameras and devices do, in words; language, light, graphics.
import { choose, chooseLanguage, Part, player, session, store, ui } from "./app.js";
import { h, patch } from "./dom.js";
import { sign } from "./shapes.js";
import { both, lang, t } from "./words.js";

/** How a camera does: a sign and a word. */
export function cameraHealth(one) {
  if (one.ended) return { sign: "gone", word: t("health_ended") };
  if (one.why) return { sign: "gone", word: t("health_gone") };
  if (!one.fps) return { sign: "busy", word: t("health_wait") };
  const slow = one.fps < 4;
  return { sign: slow ? "poor" : "good", word: t(slow ? "health_slow" : "health_fps", { fps: Math.round(one.fps) }) };
}

/** How a device does. */
export const deviceHealth = (one) => (one.why ? { sign: "gone", word: t("health_gone") } : { sign: "good", word: t("health_fine") });

/** What is wrong with a camera or a device, and what is worth knowing though nothing is: in the page's language. */
export function remarks(one) {
  const progress = one.progress ? t("progress", { state: one.progress.state ?? "", cards: one.progress.cards ?? "–", of: one.progress.of ?? "–" }) : "";
  const again = one.restarts || one.reopened ? t("reopened", { count: one.restarts || one.reopened }) : "";
  return [both(one.reason) || one.why, both(one.note), ...(one.notes ?? []).map(both), progress, one.dropped ? t("dropped", { count: one.dropped }) : "", again].filter(Boolean).join(" · ");
}

/** Whose a device is. */
export const owners = (one) => (one.seats ?? (one.seat === null || one.seat === undefined ? [] : [one.seat])).map((seat) => t("seat_number", { seat })).join(", ");

/** What the cameras cannot see, and why, one line each. */
export function blindLines(table) {
  return Object.entries(table?.blind ?? {}).map(([zone, why]) => t("blind_zone", { zone, why: t(`blind_${why}`) }));
}

class PzHead extends Part {
  parts = ["match", "table", "control", "link"];

  show() {
    const { match, table = {}, control = {} } = store.state;
    const open = (name) => () => choose({ panel: ui.panel?.name === name ? null : { name } });
    patch(this,
      h("div", { class: "what" },
        h("h1", {}, match?.table || session.table || t("title")),
        match?.profile ? h("p", { class: "rules", title: both(match.profile) }, both(match.profile)) : h("p", {}, t("no_match")),
        match?.deal ? h("p", { class: "deal" }, t("deal_now", { deal: match.deal }), h("b", {}, t("level_now", { level: match.level ?? "?" }))) : null),
      h("div", { class: "levels", "aria-label": t("levels_of_sides") }, (match?.levels ?? []).map((level, side) =>
        h("p", { class: `side${side}` }, h("span", {}, `${player(side)} · ${player(side + 2)}`), h("b", {}, level)))),
      h("nav", { "aria-label": t("health_and_tools") },
        this.health(table, open("health")),
        control.graphics && control.graphics !== "live" || control.correcting ? h("button", { type: "button", class: "graphics", onclick: open("graphics") },
          sign("busy"), control.correcting ? t("graphics_held") : t(`graphics_${control.graphics}_done`)) : h("button", { type: "button", onclick: open("graphics") }, t("graphics")),
        h("button", { type: "button", onclick: open("record") }, t("record")),
        h("button", { type: "button", onclick: () => choose({ theme: ui.theme === "dark" ? "light" : "dark" }) }, t(ui.theme === "dark" ? "theme_light" : "theme_dark")),
        h("button", { type: "button", id: "language", lang: lang === "zh" ? "en" : "zh-CN", onclick: () => chooseLanguage(lang === "zh" ? "en" : "zh") }, lang === "zh" ? "English" : "中文"),
        h("button", { type: "button", onclick: open("keys"), "aria-keyshortcuts": "?" }, t("keys")),
        h("a", { class: "button", href: "/display/setup" }, t("setup"))));
  }

  health(table, onclick) {
    const cameras = table.cameras ?? [], devices = table.devices ?? [];
    const ill = [...cameras.map(cameraHealth), ...devices.map(deviceHealth)].filter((one) => one.sign === "gone" || one.sign === "poor");
    const troubles = (table.troubles ?? []).length + Object.keys(table.blind ?? {}).length;
    const one = cameras.length === 1 ? cameraHealth(cameras[0]) : null;
    const sum = !store.fresh ? { sign: "gone", word: t("health_offline") }
      : ill.length || troubles ? { sign: "poor", word: t("health_ill", { count: ill.length + troubles }) }
        : !cameras.length ? { sign: "busy", word: t("health_by_hand") }
          : one ?? { sign: "good", word: t("health_all", { count: cameras.length }) };
    return h("button", { type: "button", class: `health ${sum.sign}`, onclick }, sign(sum.sign), h("span", {}, t("health")), h("b", {}, sum.word));
  }
}

customElements.define("pz-head", PzHead);
