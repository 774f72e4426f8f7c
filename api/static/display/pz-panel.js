// <pz-panel>: the place beside the table where one thing at a time is done. It never lies over the table or its clock.
import "./panel-act.js";
import "./panel-correct.js";
import "./panel-finding.js";
import { address, ask } from "./http.js";
import { attempt, choose, mayTend, notice, Part, store, ui } from "./app.js";
import { h, patch } from "./dom.js";
import { SHORTCUTS } from "./keys.js";
import { blindLines, cameraHealth, deviceHealth, owners, remarks } from "./pz-head.js";
import { sign } from "./shapes.js";
import { shownCamera } from "./pz-picture.js";
import { decideOn } from "./rulings.js";
import { t } from "./words.js";

class PzPanel extends Part {
  parts = [];

  show() {
    const { panel } = ui;
    const name = panel ? JSON.stringify(panel) : "";
    document.body.classList.toggle("with-panel", Boolean(panel));
    this.hidden = !panel;
    if (!panel) {
      patch(this);
      // Whoever closed a panel is back where he came from.
      if (this._from?.isConnected) this._from.focus({ preventScroll: true });
      this._from = null;
      return;
    }
    if (!this._name) this._from = document.activeElement === document.body ? null : document.activeElement;
    const title = panel.name === "act" ? t(`act_${panel.act}`) : t(`panel_${panel.name}`);
    patch(this,
      h("header", { key: "head" }, h("h2", {}, title),
        h("button", { type: "button", class: "close", onclick: () => choose({ panel: null }), "aria-keyshortcuts": "Escape" }, t("close"))),
      h("div", { key: name, class: "body" }, h(`pz-panel-${panel.name}`, { key: name })));
    this._name = name;
  }
}

class PzPanelRecord extends Part {
  parts = ["results"];

  show() {
    const link = (path, word, hint) => h("a", { class: "button", href: address(path), download: "" }, h("b", {}, t(word)), h("small", {}, hint));
    patch(this,
      h("p", {}, t("record_say")),
      h("div", { class: "acts" },
        link("record.xlsx", "record_sheet", "xlsx"), link("record.txt", "record_text", "txt"),
        link("record", "record_lines", "jsonl"), link("match.zip", "record_match", "zip")),
      (store.state.results ?? []).length > 0 && h("h3", {}, t("results")),
      h("ol", { class: "results" }, (store.state.results ?? []).map((one) => h("li", {}, one.text[document.documentElement.lang.startsWith("zh") ? "zh" : "en"]))));
  }
}

class PzPanelKeys extends Part {
  show() {
    patch(this, h("dl", { class: "shortcuts" }, SHORTCUTS.map(([key, word]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, t(word))))),
      h("p", { class: "none" }, t("keys_say")));
  }
}

const hasMoved = (one) => one.place?.state === "moved" || one.place?.state === "warn";

/** A camera counts as set up where it is now; asked again where only play went on meanwhile. */
function acceptPlace(camera) {
  const still = (state) => ((state.table?.cameras ?? []).some((one) => one.name === camera && hasMoved(one)) ? "" : t("conflict_place", { camera }));
  return attempt(async () => {
    const told = await decideOn("POST", `cameras/${encodeURIComponent(camera)}/accept-place`, undefined, still);
    notice("done", t(told.saved ? "place_accepted" : "place_accepted_unsaved", { camera }));
  });
}

class PzPanelHealth extends Part {
  parts = ["table", "link"];

  show() {
    const { table = {} } = store.state;
    const row = (name, health, why, more, button) => h("li", { key: name, class: health.sign },
      h("p", { class: "line" }, sign(health.sign), h("b", {}, name), h("span", {}, health.word), more && h("small", {}, more)), why && h("p", {}, why), button);
    const camera = shownCamera();
    const latency = table.latency?.count ? t("latency_line", table.latency) : t("latency_none");
    patch(this,
      h("h3", {}, t("cameras")),
      h("ul", { class: "healths" }, (table.cameras ?? []).map((one) => row(one.name, cameraHealth(one), remarks(one), "",
        h("div", { class: "row" },
          h("button", { type: "button", "aria-pressed": String(one.name === camera), onclick: () => choose({ camera: one.name, mode: ui.mode === "drawing" ? "picture" : ui.mode }) }, t("show_camera")),
          hasMoved(one) && mayTend() && h("button", { type: "button", class: "accept", onclick: () => acceptPlace(one.name) }, h("b", {}, t("accept_place")), h("small", {}, t("place_moved", { mm: one.place.mm }))))))),
      !(table.cameras ?? []).length && h("p", { class: "none" }, t("no_cameras")),
      blindLines(table).length > 0 && h("ul", { class: "healths" }, blindLines(table).map((line) => h("li", { class: "poor" }, h("p", { class: "line" }, sign("poor"), line)))),
      h("h3", {}, t("devices")),
      h("ul", { class: "healths" }, (table.devices ?? []).map((one) => row(one.name, deviceHealth(one), remarks(one), [one.kind, owners(one), one.port].filter(Boolean).join(" · ")))),
      !(table.devices ?? []).length && h("p", { class: "none" }, t("no_devices")),
      (table.troubles ?? []).length > 0 && [h("h3", {}, t("troubles")), h("ul", { class: "healths" }, table.troubles.map((line) => h("li", { class: "poor" }, h("p", { class: "line" }, sign("poor"), line))))],
      h("h3", {}, t("latency")), h("p", {}, latency));
  }
}

customElements.define("pz-panel", PzPanel);
customElements.define("pz-panel-record", PzPanelRecord);
customElements.define("pz-panel-keys", PzPanelKeys);
customElements.define("pz-panel-health", PzPanelHealth);
