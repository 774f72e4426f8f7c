// Set-up: the devices of the table, and a doctor who says of each thing how it is and what to do.
import { get, Problem } from "./http.js";
import { mayTend, named, Part, store } from "./app.js";
import { h, patch } from "./dom.js";
import { blindLines, cameraHealth, deviceHealth, owners, remarks } from "./pz-head.js";
import { sign } from "./shapes.js";
import { both, lang, t } from "./words.js";

const row = (key, shape, name, word, more) => h("li", { key, class: shape }, h("p", { class: "line" }, sign(shape), h("b", {}, name), h("span", {}, word)), more && h("p", { class: "none" }, more));

const LEVELS = { fit: "good", warn: "poor", unfit: "gone", note: "busy" };

class PzSetupDevices extends Part {
  parts = ["table", "seats", "link"];

  async connectedCallback() {
    super.connectedCallback();
    try {
      this.told = await get("devices");
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.problem = error;
    }
    this.show();
  }

  show() {
    const { table = {} } = store.state;
    const known = Array.isArray(this.told) ? this.told : this.told?.devices ?? [];
    const live = new Map((table.devices ?? []).map((one) => [one.name, one]));
    const devices = known.length ? known.map((one) => ({ ...one, ...live.get(one.name) })) : table.devices ?? [];
    patch(this, h("section", { class: "card" }, h("h2", {}, t("cameras")),
      h("ul", { class: "healths" }, (table.cameras ?? []).map((one) => {
        const health = cameraHealth(one);
        return row(one.name, health.sign, one.name, health.word, remarks(one));
      })), !(table.cameras ?? []).length && h("p", { class: "none" }, t("no_cameras"))),
    h("section", { class: "card" }, h("h2", {}, t("devices")),
      h("ul", { class: "healths" }, devices.map((one) => {
        const health = deviceHealth(one);
        const what = [one.kind, owners(one), one.port, one.model, one.firmware].filter(Boolean).join(" · ");
        return row(one.name, health.sign, one.name, health.word, [what, remarks(one)].filter(Boolean).join(" · "));
      })), !devices.length && h("p", { class: "none" }, t("no_devices_hint")),
      this.problem && h("p", { class: "problem", role: "alert" }, this.problem.say(lang))));
  }
}

class PzSetupDoctor extends Part {
  parts = ["table", "match", "seats", "link", "control"];

  async connectedCallback() {
    super.connectedCallback();
    if (mayTend()) await this.examine();
  }

  /** Ask the table's machine how it is; what it found stays until it is asked again. */
  async examine() {
    this.problem = null;
    this.asking = true;
    this.show();
    try {
      this.machine = await get("doctor");
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.problem = error;
    }
    this.asking = false;
    this.show();
  }

  /** What is looked at: a shape, a name, a word, what to do. */
  checks() {
    const { table = {}, match, control = {} } = store.state;
    const out = [[store.fresh ? "good" : "gone", t("check_link"), t(store.fresh ? "health_fine" : "health_offline"), store.fresh ? "" : t("do_link")]];
    for (const one of table.cameras ?? []) {
      const health = cameraHealth(one);
      out.push([health.sign, one.name.toLowerCase().includes("camera") ? one.name : `${t("camera")} ${one.name}`, health.word, remarks(one) || (health.sign === "poor" ? t("do_slow") : "")]);
    }
    if (!(table.cameras ?? []).length) out.push(["busy", t("cameras"), t("health_by_hand"), t("do_no_cameras")]);
    const blind = blindLines(table);
    out.push([blind.length ? "poor" : "good", t("check_sight"), blind.length ? blind.join("; ") : t("health_fine"), blind.length ? t("do_sight") : ""]);
    for (const one of table.devices ?? []) {
      const health = deviceHealth(one);
      out.push([health.sign, `${one.name} ${one.kind ?? ""}`, health.word, remarks(one)]);
    }
    for (const line of table.troubles ?? []) out.push(["poor", t("troubles"), both(line), ""]);
    const p95 = table.latency?.p95;
    out.push([p95 === null || p95 === undefined ? "busy" : p95 > 400 ? "poor" : "good", t("latency"), table.latency?.count ? t("latency_line", table.latency) : t("latency_none"), p95 > 400 ? t("do_latency") : ""]);
    out.push([match?.profile ? "good" : "busy", t("check_match"), match?.profile ? `${both(match.profile)} · ${match.players.map((name, seat) => name || t("seat_number", { seat })).join(", ")}` : t("no_match"), match?.profile ? "" : t("do_match")]);
    out.push([control.graphics === "live" && !control.correcting ? "good" : "poor", t("graphics"), control.correcting ? t("graphics_held") : t(`graphics_${control.graphics ?? "live"}_done`), ""]);
    return out;
  }

  show() {
    const checks = this.checks();
    const ill = checks.filter(([shape]) => shape === "gone" || shape === "poor").length;
    patch(this, this.ofTable(checks, ill), mayTend() ? this.ofMachine() : null);
  }

  ofTable(checks, ill) {
    return h("section", { class: "card" }, h("h2", {}, t("doctor")),
      h("p", { role: "status" }, ill ? t("doctor_ill", { count: ill }) : t("doctor_well")),
      h("ul", { class: "healths" }, checks.map(([shape, name, word, todo], place) => row(place, shape, name, named(word), todo))),
      !mayTend() && h("p", { class: "none" }, t("doctor_more")));
  }

  ofMachine() {
    const found = this.machine?.findings ?? [];
    return h("section", { class: "card machine" }, h("h2", {}, t("doctor_machine")),
      h("p", { role: "status" }, this.asking ? t("doctor_asking") : this.machine ? t(`doctor_${this.machine.status}`) : ""),
      this.problem && h("p", { class: "problem", role: "alert" }, this.problem.say(lang)),
      h("ul", { class: "healths" }, found.map((one, place) => row(place, LEVELS[one.level], t(`area_${one.area}`), both(one.text)))),
      h("button", { type: "button", disabled: this.asking, onclick: () => this.examine() }, t("doctor_again")),
      h("p", { class: "none" }, t("doctor_cameras")));
  }
}

customElements.define("pz-setup-devices", PzSetupDevices);
customElements.define("pz-setup-doctor", PzSetupDoctor);
