// Decisions that rest on a state: sent with its number; where the table has moved on, sent again if what was decided on
// still stands as it was, and said to be a conflict if somebody else has decided meanwhile.
import { ask, get, Problem } from "./http.js";
import { attempt, notice, store } from "./app.js";
import { t } from "./words.js";

/** Ask with the number of the state shown. `still(state)`: "" where the thing is as it was, else what happened to it. */
export async function decideOn(method, path, body, still) {
  let { seq } = store;
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask(method, path, body, seq);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 412 || tries >= 3) throw error;
      const answer = await get("state");
      const state = answer.state ?? answer;
      const happened = still(state);
      if (happened) throw new Problem(412, { detail: happened });
      seq = state.match.seq;
    }
  }
}

const finding = (state, number) => (state.findings ?? []).find((one) => one.finding === number);

/** Uphold or dismiss a finding, with a reason; `penalty` where it is another than the profile's. */
export async function decide(one, decision, reason, penalty) {
  // A double tap decides once.
  if (deciding.has(one.finding)) return false;
  deciding.add(one.finding);
  try {
    return await send(one, decision, reason, penalty);
  } finally {
    deciding.delete(one.finding);
  }
}

const deciding = new Set();

async function send(one, decision, reason, penalty) {
  const body = { decision };
  if (reason) body.reason = reason;
  if (penalty !== undefined) body.penalty = penalty;
  const still = (state) => {
    const now = finding(state, one.finding);
    if (!now) return t("conflict_gone", { finding: one.finding });
    if ((now.ruling ?? null) !== (one.ruling ?? null)) return t("conflict_ruled", { finding: one.finding, ruling: t(now.ruling ?? "recalled") });
    if (now.certainty !== one.certainty) return t("conflict_changed", { finding: one.finding });
    return "";
  };
  const done = await attempt(() => decideOn("POST", `findings/${one.finding}/ruling`, body, still));
  if (done) notice("done", t("ruled", { finding: one.finding, ruling: t(decision) }), () => recall(one));
  return done;
}

/** Take a ruling back. */
export function recall(one) {
  const still = (state) => (finding(state, one.finding)?.ruling ? "" : t("conflict_recalled", { finding: one.finding }));
  return attempt(() => decideOn("DELETE", `findings/${one.finding}/ruling`, undefined, still), t("recalled_done", { finding: one.finding }));
}

/** Say what the cards of the event of a finding are. */
export function confirmReading(one, cards) {
  const entry = (store.state.log ?? []).find((each) => each.seq === one.event);
  if (!entry) return notice("trouble", t("event_far_back"));
  return correct(entry, { cards: cards.join(" ") });
}

/** Put `replacement` in the place of an event; null makes it void. */
export async function correct(entry, replacement) {
  const body = replacement ? { of: entry.seq, replacement } : { of: entry.seq, void: true };
  const still = (state) => {
    const now = (state.log ?? []).find((each) => each.seq === entry.seq);
    return now && now.voided_by === entry.voided_by ? "" : t("conflict_corrected", { of: entry.seq });
  };
  const done = await attempt(() => decideOn("POST", "corrections", body, still));
  if (done) notice("done", t("corrected", { of: entry.seq }), undoLast);
  return done;
}

/** Take back the last thing that was done by hand. */
export const undoLast = () => attempt(() => ask("POST", "undo", undefined, store.seq), t("undone"));

