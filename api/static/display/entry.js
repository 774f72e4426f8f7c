// How every page begins: its words, who looks, his language and light; and what it says at its foot.
import { get, Problem } from "./http.js";
import { choose, chooseLanguage, Part, session, store, ui } from "./app.js";
import { h, patch } from "./dom.js";
import { sign } from "./shapes.js";
import { lang, loadWords, t } from "./words.js";

/** Wait until the table tells the words and who looks; send those who have to log in there. False where they were sent. */
export async function enter() {
  document.documentElement.dataset.theme = ui.theme;
  for (let wait = 500; ; wait = Math.min(wait * 1.7, 8000)) {
    try {
      await loadWords();
      Object.assign(session, await get("session"));
      chooseLanguage(lang);
      choose({});
      document.title = `${session.table || t("title")} · ${t("title")}`;
      return true;
    } catch (error) {
      if (error instanceof Problem && (error.status === 401 || error.status === 403)) {
        location.replace(`/login?next=${encodeURIComponent(location.pathname + location.search + location.hash)}`);
        return false;
      }
    }
    await new Promise((done) => setTimeout(done, wait));
  }
}

/** What was done or went wrong, for a while, with the way back. */
class PzNotice extends Part {
  show() {
    const { notice } = ui;
    patch(this, notice && h("p", { key: String(notice.text), class: notice.kind, role: notice.kind === "trouble" ? "alert" : "status" },
      sign(notice.kind === "trouble" ? "poor" : "good"), h("span", {}, notice.text),
      notice.undo && h("button", { type: "button", onclick: () => { choose({ notice: null }); notice.undo(); } }, t("undo")),
      h("button", { type: "button", onclick: () => choose({ notice: null }) }, t("close"))));
  }
}

/** Since when the table was not heard; nothing while it is. */
class PzLink extends Part {
  parts = ["link", "table"];

  connectedCallback() {
    this.setAttribute("role", "status");
    super.connectedCallback();
  }

  show() {
    this.hidden = store.fresh;
    if (this.hidden) return patch(this);
    const since = store.lostSince;
    const seconds = Math.round((Date.now() - since.getTime()) / 1000);
    patch(this, sign("gone"), h("b", {}, t(store.state.match ? "link_lost" : "link_never")),
      h("span", {}, t("link_since", { time: since.toLocaleTimeString("zh-CN", { hour12: false }), seconds })),
      store.state.match && h("span", {}, t("link_old")),
      store.refused && h("a", { class: "button", href: `/login?next=${encodeURIComponent(location.pathname)}` }, t("log_in")));
  }
}

customElements.define("pz-notice", PzNotice);
customElements.define("pz-link", PzLink);
