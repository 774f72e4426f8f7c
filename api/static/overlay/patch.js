// Text to elements: escapes what people typed, and changes only what differs, so that what stays on air does not move.

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Markup that is taken as it is. */
class Raw {
  constructor(text) { this.text = text; }
}

/** Mark text as markup of our own. */
export function raw(text) { return new Raw(text); }

function escaped(value) {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return value.map(escaped).join("");
  return String(value).replace(/[&<>"']/g, (sign) => ESCAPES[sign]);
}

/** A template whose values are escaped; other templates and lists of them pass as they are. */
export function html(parts, ...values) {
  return new Raw(parts.reduce((text, part, at) => text + escaped(values[at - 1]) + part));
}

/** Make the children of an element what the markup says; children with the same `data-key` and text stay. Returns whether
 * anything changed. */
export function patch(parent, markup) {
  const text = escaped(markup);
  if (parent.patched === text) return false;
  parent.patched = text;
  const template = document.createElement("template");
  template.innerHTML = text;
  merge(parent, template.content);
  return true;
}

const FITS = ".names, .who, .who span, .one span, .line span, .won span";
const SMALLEST = 0.6, LEAST_OF_TWO = 0.5;

const TWO_BELOW = 0.8, TWO_SIZE = 0.7;

/** Make what people are called fit its place: smaller, then on two lines where it has two words, before it is cut. */
export function fit(parent) {
  const ratios = [...parent.querySelectorAll(FITS)].filter((one) => !one.children.length).map((one) => {
    one.style.fontSize = "";
    one.classList.remove("two");
    const style = getComputedStyle(one);
    const pad = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
    const ratio = one.scrollWidth > one.clientWidth ? (0.98 * (one.clientWidth - pad)) / (one.scrollWidth - pad) : 1;
    return [one, ratio, parseFloat(style.fontSize)];
  });
  for (const [one, ratio, size] of ratios) {
    if (ratio >= 1) continue;
    const set = (share) => { one.style.fontSize = `${Math.floor(size * share * 2) / 2}px`; };
    if (ratio >= TWO_BELOW || one.matches(".names") || !one.textContent.trim().includes(" ")) {
      set(Math.max(SMALLEST, ratio));
      continue;
    }
    one.classList.add("two");
    for (let share = TWO_SIZE; share >= LEAST_OF_TWO; share -= 0.04) {
      set(share);
      if (one.scrollWidth <= one.clientWidth) break;
    }
  }
}

function merge(parent, wanted) {
  if (wanted.innerHTML !== undefined && parent.innerHTML === wanted.innerHTML) return;
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  const keyed = wanted.children.length > 0 && [...wanted.children].every((child) => child.dataset.key);
  if (!keyed || old.has(undefined)) {
    parent.replaceChildren(...wanted.childNodes);
    return;
  }
  let at = parent.firstElementChild;
  for (const child of [...wanted.children]) {
    const same = old.get(child.dataset.key);
    old.delete(child.dataset.key);
    if (!same) {
      child.classList.add("enter");
      parent.insertBefore(child, at);
      continue;
    }
    if (same === at) at = at.nextElementSibling;
    else parent.insertBefore(same, at);
    if (same.className !== child.className) same.className = child.className;
    merge(same, child);
    if (same.getAttribute("style") !== child.getAttribute("style")) same.setAttribute("style", child.getAttribute("style") ?? "");
  }
  for (const gone of old.values()) gone.remove();
}
