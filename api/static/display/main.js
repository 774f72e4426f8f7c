// Puts the referee's page together: who looks, which words, the state as it comes, the keys.
import "../cards/pz-card.js";
import { store } from "./app.js";
import { enter } from "./entry.js";
import "./pz-head.js";
import "./pz-table.js";
import "./pz-queue.js";
import "./pz-log.js";
import "./pz-panel.js";
import { listen } from "./keys.js";

if (await enter()) {
  document.body.replaceChildren(...["pz-link", "pz-head", "main", "pz-notice"].map((name) => document.createElement(name)));
  document.querySelector("main").append(...["pz-table", "pz-actions", "pz-queue", "pz-log", "pz-panel"].map((name) => document.createElement(name)));
  document.querySelector("pz-head").setAttribute("role", "banner");
  listen();
  store.start();
}
