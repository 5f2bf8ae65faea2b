import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { DISCOVERY_ROUNDS, NO_NOTES, noteCall, type DueNotes, type NotedCall } from "./session-notes.ts";

const reading: NotedCall = {
  tool: "read_file_v2",
  tier: "read",
  isDiscovery: true,
  argsHash: "a",
  outcome: { kind: "succeeded", result: {} },
  turnId: undefined,
};
const writing: NotedCall = { ...reading, tool: "edit_file_v2", tier: "write", isDiscovery: false, argsHash: "w" };
const todoWrite: NotedCall = { ...reading, tool: "todo_write", isDiscovery: false, argsHash: "t" };
const failing: NotedCall = { ...reading, outcome: { kind: "failed", error: { client: "c", model: "m" } } };

describe("noteCall", () => {
  verifies("tools:attachments:reminder:every-10-turns", "reminds every ten turns without a todo write", () => {
    const due = dueOf(Array.from({ length: 25 }, () => ({ ...reading, isDiscovery: false })));
    expect(due.flatMap(({ reminder }, index) => (reminder === undefined ? [] : [[index + 1, reminder]]))).toEqual([
      [10, "every-10-turns"],
      [20, "every-10-turns"],
    ]);
    const nine = Array.from({ length: 9 }, () => reading);
    expect(dueOf([...nine, todoWrite, ...nine]).every(({ reminder }) => reminder === undefined)).toBe(true);
    // Several calls of one turn of the model are one turn.
    const turns = Array.from({ length: 12 }, (_, index) => ({ ...reading, turnId: `turn ${Math.floor(index / 3)}` }));
    expect(dueOf(turns).every(({ reminder }) => reminder === undefined)).toBe(true);
  });

  it("counts identical failures until one succeeds or something was changed", () => {
    const other = { ...failing, argsHash: "b" };
    expect(timesOf([failing, other, failing, failing])).toEqual([1, 1, 2, 3]);
    expect(timesOf([failing, failing, reading, failing])).toEqual([1, 2, 0, 1]);
    expect(timesOf([failing, failing, writing, failing])).toEqual([1, 2, 0, 1]);
  });

  it("counts rounds of looking around from half of the budget on, and anew after a change", () => {
    const rounds = dueOf(Array.from({ length: DISCOVERY_ROUNDS + 1 }, () => reading));
    expect(rounds.map(({ discoveryRounds }) => discoveryRounds)).toEqual([
      ...Array.from({ length: 9 }, () => undefined),
      ...Array.from({ length: 12 }, (_, index) => index + 10),
    ]);
    expect(dueOf([...Array.from({ length: 12 }, () => reading), writing, reading]).at(-1)?.discoveryRounds).toBe(
      undefined,
    );
  });
});

function dueOf(calls: readonly NotedCall[]): readonly DueNotes[] {
  let notes = NO_NOTES;
  return calls.map((call) => {
    const noted = noteCall(notes, call);
    notes = noted.notes;
    return noted.due;
  });
}

function timesOf(calls: readonly NotedCall[]): readonly number[] {
  return dueOf(calls).map(({ failedTimes }) => failedTimes);
}
