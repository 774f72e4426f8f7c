// Puts the set-up pages together: new match, calibration, devices, doctor; each has an address of its own behind the #.
import "../cards/pz-card.js";
import { choose, chooseLanguage, Part, session, store, ui } from "./app.js";
import { h, patch } from "./dom.js";
import { enter } from "./entry.js";
import { lang, t } from "./words.js";
import "./setup-match.js";
import "./setup-zones.js";
import "./setup-health.js";

const PAGES = ["match", "zones", "devices", "doctor"];

class PzSetup extends Part {
  parts = ["match"];

  connectedCallback() {
    addEventListener("hashchange", () => this.show());
    super.connectedCallback();
  }

  show() {
    const wanted = location.hash.slice(1);
    const page = PAGES.includes(wanted) ? wanted : "match";
    patch(this,
      h("header", { key: "head" },
        h("a", { class: "button strong", href: "/display" }, t("to_the_table")),
        h("h1", {}, store.state.match?.table || session.table || t("title")),
        h("nav", { "aria-label": t("setup") }, PAGES.map((one) => h("a", { class: "button", href: `#${one}`, "aria-current": one === page ? "page" : null }, t(`setup_${one}`)))),
        h("div", { class: "row" },
          h("button", { type: "button", onclick: () => choose({ theme: ui.theme === "dark" ? "light" : "dark" }) }, t(ui.theme === "dark" ? "theme_light" : "theme_dark")),
          h("button", { type: "button", id: "language", lang: lang === "zh" ? "en" : "zh-CN", onclick: () => chooseLanguage(lang === "zh" ? "en" : "zh") }, lang === "zh" ? "English" : "中文"),
          h("a", { class: "button", href: "/login" }, session.name || t(`role_${session.role}`)))),
      h("div", { key: page, class: "page" }, h(`pz-setup-${page}`, { key: page })));
  }
}

if (await enter()) {
  customElements.define("pz-setup", PzSetup);
  const main = document.createElement("main");
  main.append(document.createElement("pz-setup"));
  document.body.replaceChildren(document.createElement("pz-link"), main, document.createElement("pz-notice"));
  store.start();
}
