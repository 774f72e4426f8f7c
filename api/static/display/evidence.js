// Stills and clips that go with an event or a finding.
import { address } from "./http.js";
import { h } from "./dom.js";
import { t } from "./words.js";

/** Pictures and films by their names in the evidence folder; nothing where there are none. */
export function evidence(names) {
  if (!names.length) return null;
  return h("div", { class: "evidence" }, names.map((name) => {
    const film = /\.(webm|mp4)$/.test(name);
    const src = address(`evidence/${encodeURIComponent(name)}`);
    const caption = t(film ? "clip" : name.includes("before") ? "before" : name.includes("after") ? "after" : "still");
    return h("figure", { key: name },
      film ? h("video", { src, controls: true, loop: true, playsinline: true, autoplay: true, muted: true, "aria-label": caption }) : h("img", { src, alt: caption, loading: "lazy" }),
      h("figcaption", {}, caption));
  }));
}
