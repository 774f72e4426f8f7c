// Players who call the referee: a call waits in the queue of every page until somebody has noted it at one of them.
import { attempt } from "./app.js";
import { ask } from "./http.js";

/** Calls that nobody has noted, the oldest first; a call that a correction made void is none. */
export function waitingCalls(log, noted) {
  return log.filter((entry) => (entry.voided_by ? entry.now : entry)?.event === "referee_called" && !noted.includes(entry.seq));
}

/** Somebody has noted a call. */
export const noteCall = (entry) => attempt(() => ask("POST", `calls/${entry.seq}/noted`));
