// Draws trees of elements and changes only what differs, so that nothing under a finger or a focus is replaced.

const KEY = Symbol("key"), PROPS = Symbol("props");
const SVG = "http://www.w3.org/2000/svg";

/** A wanted element. Props: attributes, `on…` handlers, `key`, `style` (an object), `value`/`checked`/`open` as properties. */
export function h(tag, props, ...children) {
  return { tag, props: props ?? {}, children: children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false) };
}

const drawing = new Set();

/** Make the children of `parent` what is wanted; elements with the same key stay the same elements. */
export function patch(parent, ...wanted) {
  // Taking an element away can make it say that it changed, and whoever hears that draws again: he waits his turn.
  if (drawing.has(parent)) return queueMicrotask(() => patch(parent, ...wanted));
  drawing.add(parent);
  try {
    draw(parent, wanted);
  } finally {
    drawing.delete(parent);
  }
}

function draw(parent, wanted) {
  const list = wanted.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false);
  const keys = new Set(list.map((one) => one.props?.key).filter((key) => key !== undefined));
  const keyed = new Map();
  for (const child of parent.childNodes) if (child[KEY] !== undefined) keyed.set(child[KEY], child);
  let at = parent.firstChild;
  for (const want of list) {
    // What is gone leaves first: then what stays need not move, and a focus in it is kept.
    while (at && at[KEY] !== undefined && !keys.has(at[KEY])) at = drop(at);
    const node = typeof want === "object" ? element(parent, want, at, keyed) : words(parent, String(want), at);
    at = node.nextSibling;
  }
  while (at) at = drop(at);
}

function drop(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

function words(parent, text, at) {
  if (at?.nodeType === Node.TEXT_NODE) {
    if (at.data !== text) at.data = text;
    return at;
  }
  return parent.insertBefore(document.createTextNode(text), at);
}

function element(parent, want, at, keyed) {
  const { key } = want.props;
  const fits = (node) => node?.localName === want.tag;
  let node = key !== undefined ? keyed.get(key) : at?.[KEY] === undefined ? at : null;
  if (!fits(node)) {
    const svg = want.tag === "svg" || parent.namespaceURI === SVG;
    node = svg ? document.createElementNS(SVG, want.tag) : document.createElement(want.tag);
    if (key !== undefined) node[KEY] = key;
  }
  dress(node, want.props);
  if (node !== at) parent.insertBefore(node, at);
  // Elements of our own draw what is in them themselves.
  if (!want.props.own && !want.tag.includes("-")) patch(node, want.children);
  // Only now the options are there that a value can name.
  if (want.tag === "select" && "value" in want.props) put(node, "value", want.props.value);
  return node;
}

function dress(node, props) {
  const old = node[PROPS] ?? {};
  for (const name of Object.keys(old)) if (!(name in props)) put(node, name, undefined);
  for (const [name, value] of Object.entries(props)) {
    if (value !== old[name] || name === "value" || name === "checked") put(node, name, value);
  }
  node[PROPS] = props;
}

function put(node, name, value) {
  if (name === "key" || name === "own") return;
  if (name.startsWith("on")) node[name] = value ?? null;
  else if (name === "style") for (const [rule, set] of Object.entries(value ?? {})) node.style.setProperty(rule, set);
  else if (name === "value" || name === "checked" || name === "selected" || name === "muted" || name === "srcObject") {
    if (node[name] !== value) node[name] = value ?? "";
  } else if (value === undefined || value === null || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== (value === true ? "" : String(value))) node.setAttribute(name, value === true ? "" : value);
}
