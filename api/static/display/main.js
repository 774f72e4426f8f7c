// Puts the referee's page together: who looks, which words, the state as it comes, the keys.
import "../cards/pz-card.js";
import { get, Problem } from "./http.js";
import { choose, chooseLanguage, Part, session, store, ui } from "./app.js";
import { h, patch } from "./dom.js";
import { lang, loadWords, t } from "./words.js";
import "./pz-head.js";
import "./pz-table.js";
import "./pz-queue.js";
import "./pz-log.js";
import "./pz-panel.js";
import { listen } from "./keys.js";
import { sign } from "./shapes.js";

class PzNotice extends Part {
  show() {
    const { notice } = ui;
    patch(this, notice && h("p", { key: String(notice.text), class: notice.kind, role: notice.kind === "trouble" ? "alert" : "status" },
      sign(notice.kind === "trouble" ? "poor" : "good"), h("span", {}, notice.text),
      notice.undo && h("button", { type: "button", onclick: () => { choose({ notice: null }); notice.undo(); } }, t("undo")),
      h("button", { type: "button", onclick: () => choose({ notice: null }) }, t("close"))));
  }
}

/** Wait until the table tells who looks; send those who have to log in there. */
async function who() {
  for (let wait = 500; ; wait = Math.min(wait * 1.7, 8000)) {
    try {
      await loadWords();
      Object.assign(session, await get("session"));
      return true;
    } catch (error) {
      if (error instanceof Problem && (error.status === 401 || error.status === 403)) {
        location.replace(`/login?next=${encodeURIComponent(location.pathname + location.search)}`);
        return false;
      }
    }
    await new Promise((done) => setTimeout(done, wait));
  }
}

if (await who()) {
  chooseLanguage(lang);
  choose({});
  customElements.define("pz-notice", PzNotice);
  document.body.replaceChildren(...["pz-link", "pz-head", "main", "pz-notice"].map((name) => document.createElement(name)));
  document.querySelector("main").append(...["pz-table", "pz-actions", "pz-queue", "pz-log", "pz-panel"].map((name) => document.createElement(name)));
  document.title = `${session.table || t("title")} · ${t("title")}`;
  listen();
  store.start();
}
