// Signs of the display: each stands beside its word, each has a shape of its own, so that no colour has to be told apart.
import { h } from "./dom.js";

const SHAPES = {
  proven: "M7 2H17L22 7V17L17 22H7L2 17V7Z",
  likely: "M12 2L23 21H1Z",
  check: "M12 1L23 12L12 23L1 12Z",
  provisional: "M12 3A9 9 0 1 1 11.9 3ZM12 7A5 5 0 1 0 12.1 7Z",
  good: "M12 2A10 10 0 1 1 11.9 2Z",
  busy: "M3 3H10V21H3ZM14 3H21V21H14Z",
  poor: "M12 2L23 21H1Z",
  gone: "M5 1L12 8L19 1L23 5L16 12L23 19L19 23L12 16L5 23L1 19L8 12L1 5Z",
  turn: "M2 2L22 12L2 22Z",
};

/** A shape; its word stands beside it, so it is nothing to those who hear the page. */
export function sign(name, className = "") {
  return h("svg", { class: `sign ${name} ${className}`, viewBox: "0 0 24 24", "aria-hidden": "true" },
    h("path", { d: SHAPES[name] ?? SHAPES.provisional, "fill-rule": "evenodd" }));
}
