// The connection of a graphic to its table: a full snapshot on every opening, numbered changes after it, and no end of trying.

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;
const SILENCE_MS = 4000;

/** How long to wait before try number `count` (from 0), ms: doubling, never long, never all at the same moment. */
export function waitBefore(count, first = FIRST_WAIT_MS, random = Math.random) {
  return Math.min(LONGEST_WAIT_MS, first * 2 ** Math.min(count, 10)) * (0.5 + random() / 2);
}

/** A feed: calls `told(message)` with snapshots and changes, `lost()` when the table falls silent. */
export class TableFeed {
  constructor(address, { told, lost = () => {}, firstWait = FIRST_WAIT_MS }) {
    this.address = address;
    this.firstWait = firstWait;
    this.told = told;
    this.lost = lost;
    this.opened = 0;
    this.tries = 0;
    this.number = null;
    this.closed = false;
    this.watch = setInterval(() => this.listen(), 1000);
    this.open();
  }

  open() {
    clearTimeout(this.timer);
    if (this.closed) return;
    let socket;
    try {
      socket = new WebSocket(this.address);
    } catch {
      this.again();
      return;
    }
    this.socket = socket;
    this.heard = performance.now();
    socket.onmessage = (event) => { if (socket === this.socket) this.hear(event.data); };
    socket.onclose = socket.onerror = () => { if (socket === this.socket) this.again(); };
  }

  hear(text) {
    this.heard = performance.now();
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    if (message.type === "snapshot") {
      this.tries = 0;
      this.opened += 1;
      this.number = message.n;
    } else if (message.type === "change") {
      // A number is missing: what is shown may be wrong, only a snapshot puts it right.
      if (message.n !== this.number + 1) return this.resync();
      this.number = message.n;
    }
    this.told(message);
  }

  /** Half a connection looks like a quiet table: without heartbeats it is given up. */
  listen() {
    if (this.socket && performance.now() - this.heard > SILENCE_MS) this.again();
  }

  again() {
    this.drop();
    if (this.closed) return;
    this.lost();
    this.timer = setTimeout(() => this.open(), waitBefore(this.tries, this.firstWait));
    this.tries += 1;
  }

  /** Ask for everything anew, at once: a source that has just gone on air shows what is, not what was. */
  resync() {
    this.drop();
    this.tries = 0;
    this.open();
  }

  drop() {
    const socket = this.socket;
    this.socket = null;
    clearTimeout(this.timer);
    if (socket) {
      socket.onmessage = socket.onclose = socket.onerror = null;
      socket.close();
    }
  }

  close() {
    this.closed = true;
    clearInterval(this.watch);
    this.drop();
  }
}
