// <pz-picture>: the live picture of a camera, turned as the referee stands, with the outlines of the cards as they were read.
import { Part, store, ui } from "./app.js";
import { h, patch } from "./dom.js";
import { both, t } from "./words.js";

const OLD_MS = 4000;

/** Name of the camera whose picture is shown. */
export function shownCamera() {
  const cameras = store.state.table?.cameras ?? [];
  return (cameras.find((one) => one.name === ui.camera) ?? cameras[0])?.name ?? "";
}

/** By how many quarters a picture is turned so that `bottom` is below; `foot` is the seat that is below in the picture. */
export const quarters = (bottom, foot = 0) => (((bottom - foot) % 4) + 4) % 4;

/** A direction in the picture as it is seen once the picture is turned by so many quarters. */
function onScreen([x, y], quarter) {
  return [[x, y], [-y, x], [-x, -y], [y, -x]][quarter];
}

/** Where a line of a name stands, in heights of its letters from the name's place. */
function line(place, count, level, below) {
  if (level) return 0.35;
  return (below ? place + 0.8 : place - count + 1) * 0.95;
}

class PzPicture extends Part {
  parts = ["table", "match", "link"];

  connectedCallback() {
    this._heard = ({ detail }) => this.take(detail);
    store.addEventListener("picture", this._heard);
    this._sizes = new ResizeObserver(() => this.fit());
    this._sizes.observe(this);
    super.connectedCallback();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    store.removeEventListener("picture", this._heard);
    this._sizes.disconnect();
  }

  take(blob) {
    const image = this.querySelector("img");
    if (!image) return;
    const old = image.src;
    image.onload = () => {
      if (old.startsWith("blob:")) URL.revokeObjectURL(old);
      if (!this._shown) this.show();
      this.fit();
    };
    image.src = URL.createObjectURL(blob);
    this._at = performance.now();
  }

  show() {
    const camera = shownCamera();
    if (camera !== this._camera || (store.linked && !this._linked)) store.look(camera);
    this._camera = camera;
    this._linked = store.linked;
    const health = (store.state.table?.cameras ?? []).find((one) => one.name === camera);
    const live = Boolean(this._at) && performance.now() - this._at < OLD_MS && store.fresh;
    const why = !camera ? t("no_cameras") : !store.fresh ? t("picture_stale") : both(health?.reason) || health?.why || (health?.ended ? t("ended") : live ? "" : t("waiting"));
    this.dataset.live = String(live && !why);
    const image = this.querySelector("img");
    this._shown = Boolean(image?.naturalWidth);
    patch(this,
      h("div", { class: "turned" },
        h("img", { own: true, alt: t("picture_of", { camera }), hidden: !this._shown }),
        h("svg", { class: "outlines", "aria-hidden": "true", viewBox: this.box() }, this._shown && this.dataset.live === "true" && this.outlines(camera))),
      why && h("p", { class: "why" }, why));
    this.fit();
  }

  box() {
    const image = this.querySelector("img");
    return image?.naturalWidth ? `0 0 ${image.naturalWidth} ${image.naturalHeight}` : "0 0 100 100";
  }

  outlines(camera) {
    const { naturalWidth: w, naturalHeight: hh } = this.querySelector("img");
    const quarter = quarters(ui.bottom, this.foot(camera));
    const turn = -90 * quarter;
    const size = Math.max(11, Math.min(w, hh) / 44);
    return (store.state.table?.cards?.[camera] ?? []).map((card) => {
      const points = card.px.map(([x, y]) => [x * w, y * hh]);
      const [a, b, , d] = points;
      // The name stands where the card's own index is, so that cards that overlap keep theirs.
      const at = [0, 1].map((k) => a[k] + 0.14 * (b[k] - a[k]) - 0.16 * (d[k] - a[k]));
      const [x, y] = at.map((v) => v.toFixed(1));
      // Rank over suit, as on the card itself: narrow enough for cards that overlap side by side; on one line, where
      // they lie one above the other. Beyond the card's edge in any case, above or below it as one looks at it.
      const across = onScreen([b[0] - a[0], b[1] - a[1]], quarter);
      const level = Math.abs(across[1]) > Math.abs(across[0]);
      const middle = [0, 1].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
      const below = onScreen([at[0] - middle[0], at[1] - middle[1]], quarter)[1] > 0;
      const parts = level ? [card.name ?? ""] : /^[♠♥♣♦]/.test(card.name) ? [card.name.slice(1), card.name[0]] : [...(card.name ?? "")];
      if (card.doubtful && card.name) parts.push(level ? `${parts.pop()}?` : "?");
      return h("g", { class: `card${card.doubtful ? " doubtful" : ""}${card.covered ? " covered" : ""}${card.name ? "" : " down"}`, "data-name": card.name || null },
        h("polygon", { points: points.map((p) => p.map((v) => v.toFixed(1)).join(",")).join(" ") }),
        card.name && !card.covered && h("text", { "font-size": size.toFixed(1), "text-anchor": "middle", transform: `rotate(${turn} ${x} ${y})` },
          parts.map((part, place) => h("tspan", { x, y: (at[1] + line(place, parts.length, level, below) * size).toFixed(1) }, part))));
    });
  }

  /** The seat that sits below in the camera's own picture. */
  foot(camera) { return store.state.table?.foot?.[camera] ?? 0; }

  /** Turn and scale the picture into the room there is. */
  fit() {
    const turned = this.querySelector(".turned"), image = this.querySelector("img");
    if (!turned || !image?.naturalWidth) return;
    const turn = quarters(ui.bottom, this.foot(this._camera));
    const [w, hh] = [image.naturalWidth, image.naturalHeight];
    const [across, down] = turn % 2 ? [hh, w] : [w, hh];
    const scale = Math.min(this.clientWidth / across, this.clientHeight / down);
    turned.style.width = `${w * scale}px`;
    turned.style.height = `${hh * scale}px`;
    turned.style.transform = `translate(-50%, -50%) rotate(${90 * turn}deg)`;
  }
}

customElements.define("pz-picture", PzPicture);
