// The graphics as OGraf v1 graphics: a class for each, that the renderer creates, loads, plays and stops.

import { TableFeed } from "./feed.js";
import { matchOf, settingsOf } from "./shim.js";
import { playDemo } from "./demo.js";
import { define, GRAPHICS } from "./stage.js";

const MOTION_MS = 240;

function ok(more = {}) {
  return { statusCode: 200, ...more };
}

function refused(statusMessage) {
  return { statusCode: 400, statusMessage };
}

/** The class of one graphic, or of all of them in their places. The renderer gives it its name. */
export function ografClass(name) {
  return class extends HTMLElement {
    /** Nothing is painted before the first play. */
    async load({ data = {}, renderType = "realtime" } = {}) {
      if (renderType !== "realtime") return refused("only realtime is supported");
      define();
      this.overlay = document.createElement("pz-overlay");
      this.overlay.set({ playing: false });
      this.append(this.overlay);
      this.step = undefined;
      return this.take(data);
    }

    async dispose() {
      this.disconnect();
      this.overlay?.remove();
      return ok();
    }

    async updateAction({ data = {} } = {}) {
      return this.take(data);
    }

    async playAction({ delta = 1, goto, skipAnimation = false } = {}) {
      const target = goto ?? (this.step ?? -1) + delta;
      this.step = target < 0 || target > 0 ? undefined : 0;
      await this.move(this.step === 0, skipAnimation);
      return ok({ currentStep: this.step });
    }

    async stopAction({ skipAnimation = false } = {}) {
      this.step = undefined;
      await this.move(false, skipAnimation);
      return ok();
    }

    /** `take` and `leave`: a graphic shown or kept off by hand; `automatic` leaves it to the table again. */
    async customAction({ id, payload = {} } = {}) {
      const graphic = payload?.graphic ?? name;
      const on = { take: true, leave: false, automatic: undefined };
      if (!(id in on)) return refused(`no action ${id}`);
      if (!(graphic in GRAPHICS)) return refused(`no graphic ${graphic}`);
      this.overlay.take(graphic, on[id]);
      return ok();
    }

    async move(playing, skipAnimation) {
      this.overlay.play(playing);
      if (!skipAnimation) await new Promise((done) => setTimeout(done, MOTION_MS));
    }

    take(data) {
      const known = data && typeof data === "object" ? data : {};
      const asked = new Map(Object.entries({ ...this.known, ...known }).map(([key, value]) => [key, String(value ?? "")]));
      this.known = { ...this.known, ...known };
      const { playing: _, ...settings } = settingsOf(name, asked);
      this.overlay.set(settings);
      if (Object.keys(known).some((key) => /^(player|level|title)/.test(key))) {
        this.overlay.change("match", matchOf(known, this.overlay.state.match), 0);
      }
      this.connect(asked);
      return ok();
    }

    connect(asked) {
      const server = (asked.get("server") ?? "").replace(/\/+$/, "");
      const demo = asked.get("demo") === "true" || asked.get("demo") === "1";
      const address = server && !demo ? feedAddress(server, asked) : demo ? "demo" : "";
      if (address === this.address) return;
      this.disconnect();
      this.address = address;
      if (demo) this.ended = playDemo(this.overlay, "1");
      else if (address) {
        const feed = new TableFeed(address, { told: (message) => this.overlay.hear(message) });
        this.ended = () => feed.close();
      }
    }

    disconnect() {
      this.ended?.();
      this.ended = undefined;
    }
  };
}

/** The feed of a server that is named as `http://host:port`. */
export function feedAddress(server, asked) {
  const query = new URLSearchParams();
  for (const key of ["token", "table", "delay_ms"]) if (asked.get(key)) query.set(key, asked.get(key));
  return `${server.replace(/^http/, "ws")}/api/v1/overlay?${query}`;
}
