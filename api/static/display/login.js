// The page of those who have to show a token: it says beside the field what is wrong with it.
import { ask, get, Problem } from "./http.js";
import { h, patch } from "./dom.js";
import { lang, loadWords, speak, t } from "./words.js";

const main = document.querySelector("main");
document.documentElement.dataset.theme = localStorage.getItem("paizhuo-theme") ?? "dark";
let problem = null;
let busy = false;
let who = null;

/** Where to go then: a page of this table, nothing else. */
function next() {
  const wanted = new URLSearchParams(location.search).get("next") ?? "";
  return /^\/(?!\/)/.test(wanted) && new URL(wanted, location.href).origin === location.origin ? wanted : "/display";
}

async function send(event) {
  event.preventDefault();
  const token = new FormData(event.target).get("token").trim();
  busy = true;
  show();
  try {
    await ask("POST", "session", { token });
    location.assign(next());
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    problem = error;
    busy = false;
    show();
    main.querySelector("input")?.focus();
  }
}

async function leave() {
  await ask("DELETE", "session");
  who = null;
  show();
}

function show() {
  const wrong = problem ? problem.field("token", lang) || problem.say(lang) : "";
  patch(main,
    h("header", {}, h("h1", {}, t("title")),
      h("button", { type: "button", id: "language", lang: lang === "zh" ? "en" : "zh-CN", onclick: () => { speak(lang === "zh" ? "en" : "zh"); show(); } }, lang === "zh" ? "English" : "中文")),
    who ? h("section", { class: "card" }, h("p", {}, t(who.name ? "logged_in_as" : "logged_in_role", { name: who.name, role: t(`role_${who.role}`) })),
      h("div", { class: "row" }, h("a", { class: "button strong", href: next() }, t("go_on")), h("button", { type: "button", onclick: leave }, t("log_out")))) : null,
    h("form", { class: "card", onsubmit: send },
      h("label", { "data-field": "token" }, h("span", {}, t("token")),
        h("input", { type: "password", name: "token", required: true, autocomplete: "current-password", autocapitalize: "off", spellcheck: "false", "aria-describedby": "token-hint", "aria-invalid": wrong ? "true" : null })),
      wrong && h("p", { class: "problem", role: "alert" }, wrong),
      h("p", { id: "token-hint", class: "none" }, t("token_hint")),
      h("button", { type: "submit", class: "strong", disabled: busy }, t("log_in"))));
}

await loadWords();
speak(lang);
document.title = `${t("log_in")} · ${t("title")}`;
who = await get("session").catch(() => null);
show();
