// Penalties in words, and those that a referee can choose from.
import { player } from "./app.js";
import { has, t } from "./words.js";

/** A penalty in words, as it will be applied. */
export function penaltyWords(penalty) {
  if (!penalty || penalty.kind === "none") return t("penalty_none");
  const fields = { amount: penalty.amount ?? 1, name: has(`counter_${penalty.name}`) ? t(`counter_${penalty.name}`) : penalty.name ?? "" };
  if (penalty.to_side !== undefined && penalty.to_side !== null) fields.side = `${player(penalty.to_side)} · ${player(penalty.to_side + 2)}`;
  return t(`penalty_${penalty.kind}`, fields);
}

/** What a referee may choose instead, by game. */
export const choices = (game) => [
  { kind: "none" },
  { kind: "warning", name: "referee", amount: 1 },
  { kind: "levels", amount: 1 }, { kind: "levels", amount: 2 }, { kind: "levels", amount: 3 },
  { kind: "own_levels", amount: -1 },
  ...(game === "shengji" ? [{ kind: "points", amount: 5 }, { kind: "points", amount: 10 }, { kind: "points", amount: 20 }] : [{ kind: "finish_last" }]),
  { kind: "lose_turn" }, { kind: "lose_deal" }, { kind: "replay_deal" }, { kind: "disqualified" },
];
