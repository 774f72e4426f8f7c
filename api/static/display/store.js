// The state of the table as this page knows it: a snapshot, then numbered changes; reconnects for ever and says since when
// nothing was heard. Nothing old is passed off as new: whoever shows times asks `fresh` first.

const SILENT_MS = 3500;
const FIRST_MS = 400, LAST_MS = 8000;

const LONGEST = 200;

/** A list with entries added at its end, or in place of those with the same number. */
function added(list, entries) {
  const places = new Map(list.map((one, place) => [one.seq, place]));
  const made = [...list];
  for (const one of entries) {
    if (places.has(one.seq)) made[places.get(one.seq)] = one;
    else made.push(one);
  }
  return made.slice(-LONGEST);
}

/** Fires `change` (detail: Set of parts), `link` (the connection came or went), `picture` (detail: Blob). */
export class Store extends EventTarget {
  constructor(path = "/api/v1/live") {
    super();
    this.path = path;
    this.state = {};
    this.n = null;
    this.heard = null;
    this.began = Date.now();
    this.linked = false;
    this.refused = false;
    this.at = null;
    this._wait = FIRST_MS;
    this._camera = "";
    this._parts = new Set();
  }

  /** Connect, and stay connected. */
  start() {
    this._open();
    this._watch = setInterval(() => this._check(), 500);
    addEventListener("online", () => this._again(0));
    document.addEventListener("visibilitychange", () => { if (!document.hidden && !this.linked) this._again(0); });
  }

  /** Whether what is shown is what the table says now. */
  get fresh() { return this.linked && this.heard !== null && performance.now() - this.heard < SILENT_MS; }

  /** Since when nothing was heard: a Date, null while all is well. */
  get lostSince() { return this.fresh ? null : new Date(this.heardAt ?? this.began); }

  /** Number of the state that decisions rest on. */
  get seq() { return this.state.match?.seq ?? 0; }

  /** The time of the record at this moment, s; null where it is not known. */
  now() {
    if (this.at === null) return null;
    return this.at.record + (this.fresh ? (performance.now() - this.at.heard) / 1000 : 0);
  }

  /** Ask for the pictures of a camera; "" for none. */
  look(camera) {
    this._camera = camera;
    if (this._socket?.readyState === WebSocket.OPEN) this._socket.send(JSON.stringify({ camera }));
  }

  _open() {
    clearTimeout(this._timer);
    this._close();
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const since = this.n === null ? "" : `?since=${this.n}`;
    const socket = new WebSocket(`${scheme}://${location.host}${this.path}${since}`);
    socket.binaryType = "blob";
    socket.onmessage = ({ data }) => { if (socket === this._socket) this._hear(data); };
    socket.onopen = () => { if (socket === this._socket && this._camera) this.look(this._camera); };
    socket.onclose = () => { if (socket === this._socket) this._again(this._wait); };
    this._socket = socket;
    this._opened = performance.now();
  }

  _close() {
    const old = this._socket;
    this._socket = null;
    if (old) { old.onclose = null; old.close(); }
  }

  _again(wait) {
    if (this._socket?.readyState === WebSocket.OPEN && this.fresh) return;
    this._close();
    this._link(false);
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this._retry(), wait * (0.75 + Math.random() / 2));
    this._wait = Math.min(this._wait * 1.7, LAST_MS);
  }

  async _retry() {
    // A socket that is turned away says nothing: whether somebody has to log in is asked for.
    try {
      const answer = await fetch("/api/v1/session", { credentials: "same-origin" });
      if (answer.status === 401 || answer.status === 403) {
        this.refused = true;
        this.dispatchEvent(new Event("link"));
      }
    } catch { /* the table is not there: try again */ }
    this._open();
  }

  _check() {
    const now = performance.now();
    if (this.linked && now - this.heard > SILENT_MS) this._again(0);
    else if (!this.linked && this._socket?.readyState === WebSocket.CONNECTING && now - this._opened > 5000) this._again(0);
    else if (!this.linked && this._socket?.readyState === WebSocket.OPEN && now - this._opened > 5000) this._again(0);
    if (!this.fresh) this.dispatchEvent(new Event("link"));
  }

  _link(linked) {
    if (this.linked === linked) return;
    this.linked = linked;
    this.dispatchEvent(new Event("link"));
  }

  _hear(data) {
    this.heard = performance.now();
    this.heardAt = Date.now();
    if (typeof data !== "string") {
      this.dispatchEvent(new CustomEvent("picture", { detail: data }));
      return;
    }
    const message = JSON.parse(data);
    if (message.type === "snapshot") this._take(message.n, message.state, Object.keys(message.state));
    else if (message.type === "change") {
      if (this.n !== null && message.n !== this.n + 1) return this._lostCount();
      const value = "add" in message ? added(this.state[message.part] ?? [], message.add) : message.value;
      this._take(message.n, { ...this.state, [message.part]: value }, [message.part]);
    } else if (message.type === "heartbeat") {
      if (this.n !== null && message.n !== this.n) return this._lostCount();
      this._time(message.at);
    }
    this._wait = FIRST_MS;
    this.refused = false;
    this._link(true);
  }

  _lostCount() {
    this.n = null;
    this._again(0);
  }

  _take(n, state, parts) {
    this.n = n;
    this.state = state;
    if (parts.includes("clock")) this._time(state.clock?.at);
    for (const part of parts) this._parts.add(part);
    if (this._told) return;
    this._told = true;
    setTimeout(() => {
      this._told = false;
      const told = this._parts;
      this._parts = new Set();
      this.dispatchEvent(new CustomEvent("change", { detail: told }));
    });
  }

  _time(record) {
    if (typeof record === "number") this.at = { record, heard: this.heard };
  }
}
