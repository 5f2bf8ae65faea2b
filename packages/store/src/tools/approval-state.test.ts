import { expect, it } from "vitest";
import { isYes, moveApproval, type ApprovalMove, type ApprovalState } from "./approval-state.ts";

const STATES: readonly ApprovalState[] = ["pending", "granted", "used", "rejected", "expired", "withdrawn"];
const MOVES: readonly ApprovalMove[] = ["approve", "refuse", "use", "expire", "withdraw"];

it("moves from open states alone, and a grant is used once", () => {
  const possible = STATES.flatMap((state) =>
    MOVES.flatMap((move) => {
      const next = moveApproval(state, move);
      return next === undefined ? [] : [`${state} ${move} ${next}`];
    }),
  );
  expect(possible).toEqual([
    "pending approve granted",
    "pending refuse rejected",
    "pending expire expired",
    "pending withdraw withdrawn",
    "granted use used",
    "granted expire expired",
    "granted withdraw withdrawn",
  ]);
});

it("lets a call run by three answers", () => {
  const answers = ["once", "session", "always", "reject", "abort"] as const;
  expect(answers.filter(isYes)).toEqual(["once", "session", "always"]);
});
