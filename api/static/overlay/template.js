// The page of a playout template (CasparCG, SPX): waits unseen for play, takes its server and settings from update.

import { hexColour } from "./colours.js";
import { TableFeed } from "./feed.js";
import { playDemo } from "./demo.js";
import { feedAddress } from "./ograf.js";
import { install, settingsOf } from "./shim.js";
import { define } from "./stage.js";

const FIELDS = {
  f0: "graphic", f1: "server", f2: "token", f3: "lang", f4: "theme", f5: "title", f6: "player0", f7: "player1", f8: "player2",
  f9: "player3", f10: "level0", f11: "level1",
};

/** Fields of a template (f0, f1, …) under the names that the graphics use; empty ones are not given. */
export function fieldsOf(data) {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [FIELDS[key] ?? key, value])
    .filter(([, value]) => value !== "" && value !== null && value !== undefined));
}

export function startTemplate() {
  define();
  const asked = new URLSearchParams(location.search);
  const overlay = document.createElement("pz-overlay");
  document.body.append(overlay);
  overlay.set({ ...settingsOf(asked.get("graphic") ?? "all", asked), playing: false });
  if (hexColour(asked.get("bg"))) document.body.style.background = hexColour(asked.get("bg"));
  let address = "", feed = null;
  const connect = (data) => {
    if (!data.server) return;
    const wanted = feedAddress(data.server.replace(/\/+$/, ""), new Map(Object.entries(data)));
    if (wanted === address) return;
    address = wanted;
    feed?.close();
    feed = new TableFeed(address, { told: (message) => overlay.hear(message) });
  };
  install(overlay, connect, window, fieldsOf);
  if (asked.get("demo")) playDemo(overlay, asked.get("demo"));
}
