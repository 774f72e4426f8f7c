// The live page of a table: the camera's picture with the cards that were read, the clock, findings and the log.
const $ = (id) => document.getElementById(id);
const words = await (await fetch("texts.json")).json();
let lang = localStorage.getItem("lang") ?? (navigator.language.startsWith("zh") ? "zh" : "en");
let now = null, log = null, camera = "", socket = null, url = "";

const names = document.createElement("div");
names.id = "names";
$("stage").append(names);

function t(key, fields = {}) {
  return words[key][lang].replace(/\{(\w+)\}/g, (_, name) => fields[name] ?? "?");
}

function make(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function time(at) {
  if (at === null || at === undefined) return "";
  const seconds = Math.floor(at);
  const two = (n) => String(n).padStart(2, "0");
  return (seconds >= 3600 ? Math.floor(seconds / 3600) + ":" : "") + two(Math.floor(seconds / 60) % 60) + ":" + two(seconds % 60);
}

function player(seat) {
  return log?.players?.[seat] || (lang === "zh" ? `${seat}号位` : `seat ${seat}`);
}

function showWords() {
  document.documentElement.lang = lang === "zh" ? "zh-CN" : "en";
  for (const part of document.querySelectorAll("[data-text]")) part.textContent = t(part.dataset.text);
  $("language").textContent = t("language");
  if (!$("frame").hasAttribute("src")) $("waiting").textContent = t("waiting");
}

function showLog() {
  if (!log) return;
  $("table").textContent = log.table;
  const level = log.view.level;
  const game = log.profile ? [log.profile[lang]] : [];
  if (log.deal) game.push(t("deal_level", { deal: log.deal, level: level ?? "?" }));
  $("game").textContent = game.join(" · ");
  const ends = (log.results ?? []).map((one) => one.text[lang]);
  $("levels").textContent = ends.length ? ends[ends.length - 1] : log.levels.length ? t("levels", { levels: log.levels.join(" / ") }) : "";
  const wrong = log.findings;
  $("finding-count").textContent = wrong.length || "";
  const list = $("finding-list");
  list.replaceChildren(...wrong.map(findingItem));
  if (!wrong.length) list.append(make("li", "meta", t("no_findings")));
  $("log-list").replaceChildren(...log.log.toReversed().map(logItem));
}

function findingItem(finding) {
  const item = make("li", finding.certainty);
  const head = make("div");
  head.append(make("span", "word", t(finding.certainty)), make("span", "meta", `  #${finding.finding} · ${time(finding.at)}${finding.rule ? " · " + finding.rule : ""}`));
  if (finding.ruling) head.append(make("span", "meta", " · " + t(finding.ruling)));
  const shown = log.log.find((entry) => entry.seq === finding.event)?.evidence ?? [];
  if (finding.clip || shown.length) {
    const button = make("button", "show", t("clip"));
    button.type = "button";
    button.onclick = () => showEvidence(finding.clip ? [finding.clip] : shown);
    head.append(button);
  }
  item.append(head, make("div", "", finding.text[lang]));
  return item;
}

function logItem(entry) {
  const item = make("li", entry.doubtful ? "doubtful" : "");
  const what = make("span", "what", entry.text[lang]);
  what.dataset.doubt = t("doubtful");
  item.append(make("span", "at", time(entry.at)), what);
  if (entry.evidence.length) {
    const button = make("button", "show", "▦");
    button.type = "button";
    button.title = `${t("before")} / ${t("after")}`;
    button.ariaLabel = button.title;
    button.onclick = () => showEvidence(entry.evidence);
    item.append(button);
  }
  return item;
}

function showEvidence(files) {
  $("evidence-body").replaceChildren(...files.map((name) => {
    const figure = make("figure");
    const film = name.endsWith(".webm");
    const shown = make(film ? "video" : "img");
    if (film) Object.assign(shown, { controls: true, autoplay: true, loop: true, muted: true });
    shown.src = `evidence/${name}`;
    const caption = film ? t("clip") : t(name.includes("before") ? "before" : "after");
    figure.append(shown, make("figcaption", "meta", `${caption} · ${name}`));
    return figure;
  }));
  $("evidence").show();
}

function showNow() {
  if (!now) return;
  const clocks = $("clocks");
  const rows = now.clock.waits.map((wait) => {
    const left = wait.left;
    const row = make("div", "wait" + (left === null ? "" : left < 0 ? " over" : left <= 5 ? " soon" : ""));
    row.append(make("b", "", left === null ? "–" : String(Math.ceil(left))), make("span", "", player(wait.seat)));
    if (left !== null) {
      const key = left < 0 ? "seconds_over" : "seconds_left";
      row.append(make("span", "meta", t(key, { left: Math.ceil(left), over: (-left).toFixed(1), limit: wait.limit })));
    }
    return row;
  });
  if (now.clock.stopped) rows.unshift(make("div", "meta", t("clock_stopped")));
  if (!rows.length) rows.push(make("div", "meta", t("clock_none")));
  clocks.replaceChildren(...rows);
  const blind = Object.entries(now.blind).map(([zone, why]) => `${zone} (${words["blind_" + why]?.[lang] ?? why})`);
  const troubles = [...now.troubles, ...now.cameras.filter((one) => one.why).map((one) => one.why)];
  if (blind.length) troubles.push(t("blind", { zones: blind.join(", ") }));
  $("troubles").textContent = troubles.join(" · ");
  $("latency").textContent = t("latency") + ": " + (now.latency.count ? t("latency_line", now.latency) : t("latency_none"));
  showCameras();
  showCards();
}

function showCameras() {
  const key = JSON.stringify([lang, camera, now.cameras.map((one) => [one.name, one.why, one.ended, Math.round(one.fps)])]);
  if ($("cameras").dataset.key === key) return;
  $("cameras").dataset.key = key;
  if (!camera && now.cameras.length) choose(now.cameras[0].name);
  $("cameras").replaceChildren(...now.cameras.map((one) => {
    const ill = one.why !== "";
    const state = one.ended ? t("ended") : ill ? "!" : one.fps > 0 ? `${one.fps.toFixed(0)} fps` : t("fine");
    const button = make("button", ill ? "ill" : "", `${one.name} · ${state}`);
    button.type = "button";
    button.ariaPressed = String(one.name === camera);
    button.onclick = () => choose(one.name);
    return button;
  }));
}

function showCards() {
  const cards = now.cards[camera] ?? [];
  const svg = $("cards");
  svg.setAttribute("viewBox", "0 0 1 1");
  svg.replaceChildren(...cards.map((card) => {
    const shape = document.createElementNS("http://www.w3.org/2000/svg", "polygon");
    shape.setAttribute("points", card.px.map((p) => p.join(",")).join(" "));
    shape.setAttribute("class", (card.doubtful ? "doubtful " : "") + (card.covered ? "covered " : "") + (card.name ? "" : "down"));
    return shape;
  }));
  names.replaceChildren(...cards.filter((card) => card.name).map((card) => {
    // The name stands at the card's own top left corner, where its index is, so that overlapped cards keep theirs.
    const [a, b, , d] = card.px;
    const at = [0, 1].map((k) => a[k] + 0.13 * (b[k] - a[k]) - 0.19 * (d[k] - a[k]));
    // Of cards that lie one above the other in the picture, names on one line stay apart.
    const level = Math.abs(b[1] - a[1]) > Math.abs(b[0] - a[0]);
    const label = make("span", (card.doubtful ? "doubtful " : "") + (/[♥♦大]/.test(card.name) ? "red " : "") + (level ? "level" : ""));
    // Rank over suit, as on the card itself: narrow enough for cards that overlap.
    const parts = level ? [card.name] : /^[♠♥♣♦]/.test(card.name) ? [card.name.slice(1), card.name[0]] : [...card.name];
    label.append(...parts.map((part) => make("b", "", part)));
    if (card.doubtful) label.append(make("b", "", "?"));
    label.style.left = `${100 * at[0]}%`;
    label.style.top = `${100 * at[1]}%`;
    return label;
  }));
}

function choose(name) {
  camera = name;
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ camera }));
  if (now) showNow();
}

function connect() {
  socket = new WebSocket(`ws://${location.host}/live`);
  socket.binaryType = "blob";
  socket.onopen = () => { if (camera) choose(camera); $("waiting").textContent = ""; };
  socket.onmessage = ({ data }) => {
    if (typeof data !== "string") return showPicture(data);
    const { part, value } = JSON.parse(data);
    if (part === "now") { now = value; showNow(); }
    if (part === "log") { log = value; showLog(); showNow(); }
  };
  socket.onclose = () => { $("waiting").textContent = t("connection_lost"); setTimeout(connect, 1000); };
}

function showPicture(blob) {
  const old = url;
  url = URL.createObjectURL(blob);
  const frame = $("frame");
  frame.onload = () => {
    const ratio = frame.naturalWidth / frame.naturalHeight;
    $("stage").style.setProperty("--ratio", String(ratio));
    $("stage").style.setProperty("--ratio-number", String(ratio));
    if (old) URL.revokeObjectURL(old);
  };
  frame.src = url;
  $("waiting").textContent = "";
}

$("language").onclick = () => {
  lang = lang === "zh" ? "en" : "zh";
  localStorage.setItem("lang", lang);
  showWords(); showLog(); showNow();
};
$("evidence-close").onclick = () => { $("evidence").close(); $("evidence-body").replaceChildren(); };
showWords();
connect();
