// The page of a browser source: reads its address, opens the feed of the table, and answers to CasparCG, SPX and OBS.
//
//   /overlay/all?token=…&lang=zh&theme=dark&layout=1080p&delay_ms=800&sides=0072b2,e69f00&bg=00ff00&safe=1&demo=1

import { hexColour } from "./colours.js";
import { playDemo } from "./demo.js";
import { TableFeed } from "./feed.js";
import { install, settingsOf } from "./shim.js";
import { define, GRAPHICS } from "./stage.js";

function named(path) {
  const name = path.split("/").filter(Boolean).at(-1) ?? "all";
  return name in GRAPHICS ? name : "all";
}

function feedAddress(asked) {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const query = new URLSearchParams();
  for (const key of ["token", "table", "delay_ms"]) if (asked.get(key)) query.set(key, asked.get(key));
  return `${scheme}//${location.host}/api/v1/overlay?${query}`;
}

function start() {
  const asked = new URLSearchParams(location.search);
  define();
  const overlay = document.createElement("pz-overlay");
  document.body.append(overlay);
  overlay.set(settingsOf(named(location.pathname), asked));
  if (hexColour(asked.get("bg"))) document.body.style.background = hexColour(asked.get("bg"));
  document.documentElement.lang = overlay.settings.lang;
  install(overlay);
  if (asked.get("demo")) {
    playDemo(overlay, asked.get("demo"));
    return;
  }
  const told = (message) => {
    overlay.hear(message);
    if (message.type === "snapshot") tellParent();
  };
  const feed = new TableFeed(feedAddress(asked), { told, firstWait: Number(asked.get("retry_ms")) || undefined });
  // A source that comes on air shows what is now, whatever it slept through.
  const wake = (event) => { if (event.detail?.active ?? event.detail?.visible ?? true) feed.resync(); };
  window.addEventListener("obsSourceActiveChanged", wake);
  window.addEventListener("message", (event) => { if (event.data === "paizhuo:active") feed.resync(); });
  Object.assign(window, { paizhuo: { overlay, feed } });
}

/** The local page that frames this one shows it only now: there is a picture, not an error. */
function tellParent() {
  if (window.parent !== window) window.parent.postMessage("paizhuo:ready", "*");
}

start();
