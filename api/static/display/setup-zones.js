// Set-up: where cards are looked for. Zones lie over the live picture and are moved and sized by dragging, or with the arrows.
import { address, ask, get, Problem } from "./http.js";
import { mayAct, notice, Part, store } from "./app.js";
import { corners, dragged, View } from "./geometry.js";
import { h, patch } from "./dom.js";
import { cameraHealth } from "./pz-head.js";
import { sign } from "./shapes.js";
import { has, lang, t } from "./words.js";

const STILL_MS = 1000;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

class PzSetupZones extends Part {
  parts = ["table"];

  async connectedCallback() {
    super.connectedCallback();
    await this.load();
    this._stills = setInterval(() => this.still(), STILL_MS);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this._stills);
  }

  async load() {
    try {
      this.setup = await get("setup");
      this.zones = this.setup.zones.map((zone) => ({ ...zone, turn: zone.turn ?? 0 }));
      this.camera ??= this.setup.cameras?.[0]?.name ?? null;
      this.problem = null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.problem = error;
    }
    this.changed = false;
    this.show();
    this.still();
  }

  still() {
    const image = this.querySelector("img.still");
    if (!image || document.hidden || this._loading) return;
    this._loading = true;
    const fresh = new Image();
    fresh.onload = () => { image.src = fresh.src; this._loading = false; this.gone = false; if (!this._sized) { this._sized = true; this.show(); } };
    fresh.onerror = () => { this._loading = false; if (!this.gone) { this.gone = true; this.show(); } };
    fresh.src = `${address(`cameras/${encodeURIComponent(this.camera)}/still.jpg`)}?${Date.now()}`;
  }

  get known() { return this.setup?.cameras?.find((one) => one.name === this.camera) ?? null; }

  show() {
    const { setup } = this;
    if (!setup) return patch(this, h("section", { class: "card" }, h("h2", {}, t("calibration")), h("p", { class: "none" }, this.problem ? this.problem.say(lang) : t("waiting"))));
    const camera = this.known;
    patch(this, h("section", { class: "card zones" },
      h("header", { class: "row" }, h("h2", {}, t("calibration")),
        (setup.cameras ?? []).map((one) => h("button", { type: "button", "aria-pressed": String(one.name === this.camera), onclick: () => { this.camera = one.name; this._sized = false; this.show(); this.still(); } }, one.name, this.health(one.name)))),
      camera ? [h("p", { class: "none" }, t("zones_hint")), this.stage(camera), this.facts(camera)] : h("p", { class: "none" }, t("no_cameras")),
      setup.zones_wait && h("p", { class: "problem waits", role: "status" }, t("zones_wait")),
      this.chosen(),
      this.problem && h("p", { class: "problem", role: "alert" }, this.problem.say(lang)),
      mayAct() && (setup.file ? h("div", { class: "row end" },
        h("button", { type: "button", class: "strong", disabled: !this.changed, onclick: () => this.save() }, t("save_zones")),
        h("button", { type: "button", disabled: !this.changed, onclick: () => this.load() }, t("discard_changes"))) : h("p", { class: "none" }, t("no_table_file")))));
  }

  health(name) {
    const one = (store.state.table?.cameras ?? []).find((each) => each.name === name);
    if (!one) return null;
    const { sign: shape, word } = cameraHealth(one);
    return h("small", { class: shape }, sign(shape), word);
  }

  stage(camera) {
    const [w, hh] = camera.size;
    const view = camera.plane?.to_px ? new View(camera.plane) : null;
    return h("div", { class: "stage", style: { "aspect-ratio": `${w} / ${hh}`, "--ratio": String(w / hh) } },
      h("img", { class: "still", alt: t("picture_of", { camera: camera.name }), own: true }),
      this.gone && h("p", { class: "why" }, t("no_picture")),
      view ? h("svg", {
        viewBox: `0 0 ${w} ${hh}`, onpointermove: (event) => this.move(event, view), onpointerup: () => this.drop(), onpointercancel: () => this.drop(),
      }, this.zones.map((zone, place) => this.zone(zone, place, view, w))) : h("p", { class: "why" }, t("no_plane")));
  }

  zone(zone, place, view, width) {
    const px = corners(zone).map((corner) => view.px(corner));
    const points = px.map((point) => point.map((value) => value.toFixed(1)).join(",")).join(" ");
    const [x, y] = view.px(zone.centre);
    const chosen = this.at === place;
    return h("g", { key: zone.name, class: `zone ${zone.kind}${chosen ? " chosen" : ""}` },
      h("polygon", {
        points, tabindex: mayAct() ? "0" : null, role: "button", "aria-label": `${t("zone")} ${this.label(zone)}`, "aria-pressed": String(chosen),
        onpointerdown: (event) => this.grab(event, place, null, view), onkeydown: (event) => this.nudge(event, place), onfocus: () => { this.at = place; this.show(); },
      }),
      h("text", { x, y, "text-anchor": "middle", "dominant-baseline": "middle", "font-size": width / 42 }, this.label(zone)),
      chosen && mayAct() && px.map(([cx, cy], corner) => h("circle", {
        key: `c${corner}`, cx: cx.toFixed(1), cy: cy.toFixed(1), r: width / 55, onpointerdown: (event) => this.grab(event, place, corner, view),
      })));
  }

  label(zone) {
    const kind = has(`zone_${zone.kind}`) ? t(`zone_${zone.kind}`) : zone.kind;
    return zone.seat === null || zone.seat === undefined ? kind : `${t("seat_number", { seat: zone.seat })} ${kind}`;
  }

  place(event, view) {
    const svg = this.querySelector(".stage svg"), box = svg.getBoundingClientRect(), [w, hh] = this.known.size;
    return view.mm([((event.clientX - box.left) / box.width) * w, ((event.clientY - box.top) / box.height) * hh]);
  }

  grab(event, place, corner, view) {
    if (!mayAct()) return;
    event.preventDefault();
    this.at = place;
    const [x, y] = this.place(event, view), { centre } = this.zones[place];
    this.drag = { place, corner, from: [x - centre[0], y - centre[1]] };
    this.querySelector(".stage svg").setPointerCapture(event.pointerId);
    this.show();
  }

  move(event, view) {
    if (!this.drag) return;
    const { place, corner, from } = this.drag;
    const [x, y] = this.place(event, view);
    const zone = this.zones[place];
    this.change(place, corner === null ? { ...zone, centre: [Math.round((x - from[0]) * 2) / 2, Math.round((y - from[1]) * 2) / 2] } : dragged(zone, corner, [x, y]));
  }

  drop() { this.drag = null; }

  nudge(event, place) {
    const step = STEPS[event.key];
    if (!step || !mayAct()) return;
    event.preventDefault();
    const zone = this.zones[place];
    const by = event.ctrlKey ? 1 : 10;
    if (event.shiftKey) this.change(place, { ...zone, size: zone.size.map((value, k) => Math.max(60, value + step[k] * by)) });
    else this.change(place, { ...zone, centre: zone.centre.map((value, k) => value + step[k] * by) });
  }

  change(place, zone) {
    this.zones = this.zones.map((one, at) => (at === place ? zone : one));
    this.changed = true;
    this.show();
  }

  /** The chosen zone in numbers. */
  chosen() {
    const zone = this.zones[this.at];
    if (!zone) return null;
    const number = (label, value, put) => h("label", {}, h("span", {}, label), h("input", {
      type: "number", step: "0.5", value: String(value), disabled: !mayAct(), onchange: (event) => { if (event.target.value !== "") put(Number(event.target.value)); },
    }));
    return h("fieldset", { class: "numbers" }, h("legend", {}, this.label(zone)), h("div", { class: "row" },
      number("x mm", zone.centre[0], (x) => this.change(this.at, { ...zone, centre: [x, zone.centre[1]] })),
      number("y mm", zone.centre[1], (y) => this.change(this.at, { ...zone, centre: [zone.centre[0], y] })),
      number(t("zone_width"), zone.size[0], (w) => this.change(this.at, { ...zone, size: [w, zone.size[1]] })),
      number(t("zone_depth"), zone.size[1], (d) => this.change(this.at, { ...zone, size: [zone.size[0], d] })),
      number(t("zone_turn"), zone.turn, (turn) => this.change(this.at, { ...zone, turn }))));
  }

  facts(camera) {
    const told = Object.entries(camera.calibration ?? {}).map(([key, value]) => `${key}: ${value}`).join(" · ");
    return h("p", { class: "facts" }, `${camera.size.join(" × ")} px · ${camera.kind ?? ""}`, told && ` · ${told}`);
  }

  async save() {
    this.problem = null;
    try {
      await ask("PUT", "setup/zones", { zones: this.zones }, store.seq);
      notice("done", t("zones_saved"));
      await this.load();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.problem = error;
      this.show();
    }
  }
}

customElements.define("pz-setup-zones", PzSetupZones);
