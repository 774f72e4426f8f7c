// Players who call the referee: a call waits in the queue until somebody at this page has noted it.
import { choose } from "./app.js";

const KEPT = "paizhuo-noted", MOST = 100;
const nameOf = (entry) => `${entry.seq}@${entry.at ?? ""}`;

function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

const noted = new Set(kept());

/** Calls that nobody at this page has noted, the oldest first; a call that a correction made void is none. */
export function waitingCalls(log) {
  return log.filter((entry) => (entry.voided_by ? entry.now : entry)?.event === "referee_called" && !noted.has(nameOf(entry)));
}

/** Somebody has noted a call; it stays so through a reload. */
export function noteCall(entry) {
  noted.add(nameOf(entry));
  localStorage.setItem(KEPT, JSON.stringify([...noted].slice(-MOST)));
  choose({});
}
