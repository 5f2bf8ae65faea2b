import { verifies } from "@quarry/tests";
import { describe, expect, it, vi } from "vitest";
import type { Database } from "../database.ts";
import { withDatabase } from "../testing.ts";
import { moveApproval, type ApprovalMove, type ApprovalState } from "./approval-state.ts";
import { answerApproval, expireApprovals, getApproval, listApprovals, type EndOfCall } from "./approvals.ts";
import { readCallContext } from "./call-context.ts";
import { appendAudit, findChainBreak, listAudit, type AuditEntry } from "./tool-audit.ts";
import { moveToolCall, type ToolCallMove, type ToolCallState } from "./tool-call-state.ts";
import {
  acceptToolCall,
  endToolCall,
  followToolCall,
  getToolCall,
  listResultsAfter,
  takeGrant,
  type AcceptOutcome,
  type ToolCall,
} from "./tool-calls.ts";
import { listToolRules } from "./tool-rules.ts";
import {
  closeToolSession,
  getToolSession,
  listToolSessions,
  openToolSession,
  takeSessionMessages,
  updateToolSession,
} from "./tool-sessions.ts";
import { TOOLS_CHANNEL } from "./tools-channel.ts";

const now = new Date("2026-11-15T12:00:00Z");
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1_000);

describe("states", () => {
  const calls: readonly ToolCallState[] = [
    "awaiting-approval",
    "running",
    "succeeded",
    "failed",
    "rejected",
    "cancelled",
  ];
  verifies("agent-protocol:lifecycle:states", "moves a call only forwards", () => {
    const moves: readonly ToolCallMove[] = ["granted", "refused", "succeeded", "failed", "cancelled", "lapsed", "lost"];
    const table = Object.fromEntries(
      calls.map((state) => [state, moves.map((move) => moveToolCall(state, move) ?? "-")]),
    );
    expect(table).toEqual({
      "awaiting-approval": ["running", "rejected", "-", "-", "cancelled", "failed", "-"],
      running: ["-", "-", "succeeded", "failed", "cancelled", "-", "failed"],
      succeeded: ["-", "-", "-", "-", "-", "-", "-"],
      failed: ["-", "-", "-", "-", "-", "-", "-"],
      rejected: ["-", "-", "-", "-", "-", "-", "-"],
      cancelled: ["-", "-", "-", "-", "-", "-", "-"],
    });
  });

  it("moves an approval only forwards, and uses a grant once", () => {
    const states: readonly ApprovalState[] = ["pending", "granted", "used", "rejected", "expired", "withdrawn"];
    const moves: readonly ApprovalMove[] = ["approve", "refuse", "use", "expire", "withdraw"];
    const table = Object.fromEntries(
      states.map((state) => [state, moves.map((move) => moveApproval(state, move) ?? "-")]),
    );
    expect(table).toEqual({
      pending: ["granted", "rejected", "-", "expired", "withdrawn"],
      granted: ["-", "-", "used", "expired", "withdrawn"],
      used: ["-", "-", "-", "-", "-"],
      rejected: ["-", "-", "-", "-", "-"],
      expired: ["-", "-", "-", "-", "-"],
      withdrawn: ["-", "-", "-", "-", "-"],
    });
  });
});

describe("tool calls", () => {
  it("keeps one call per id and session", () =>
    withCalls(async ({ ask }) => {
      const first = await ask("c1");
      const again = await ask("c1");
      expect([first.isNew, again.isNew]).toEqual([true, false]);
      expect(again.call).toEqual(first.call); // said by the writer, and read from the row
    }));

  it("answers calls and ends just as they are read, with what PostgreSQL cannot hold replaced", () =>
    withCalls(async ({ db, sessionId }) => {
      const odd = { text: "zero \u0000, half \ud800, \\u0000" };
      const start = { kind: "run", allowedBy: "user:1", runnerId: "r", leaseUntil: later(30) } as const;
      for (const hasEffects of [true, false]) {
        const asked = { teamId: "team-a", sessionId, tool: "write", args: odd, argsHash: "h", caller: "me" };
        const call = { ...asked, toolCallId: `c ${hasEffects}`, isInternal: true, start: { ...start, hasEffects } };
        const kept = await acceptToolCall(db, call, now);
        if (kept.kind !== "kept") throw new Error("stale");
        const { id } = kept.call;
        expect(kept.call).toEqual(await getToolCall(db, id));
        const end = { callId: id, state: "succeeded", outcome: odd, audit: entry("write") } as const;
        const ending = await endToolCall(db, { ...end, from: ["running"], runnerId: "r" }, later(1));
        expect({ ...kept.call, ...ending }).toEqual(await getToolCall(db, id));
        expect(kept.call.args).toEqual({ text: "zero \ufffd, half \ufffd, \\u0000" });
      }
    }));

  verifies(
    ["approvals:grant:single-use", "approvals:grant:bound-to-arguments"],
    "takes a grant once, and for its arguments alone",
    () =>
      withCalls(async ({ db, ask, answer }) => {
        const { call } = await ask("c1");
        const take = (argsHash: string): Promise<ToolCall | undefined> =>
          takeGrant(db, { callId: call.id, argsHash, runnerId: "r", leaseUntil: later(30) }, later(2));
        expect(await take("h1")).toBeUndefined();
        await answer("c1", "once");
        expect(await take("other arguments")).toBeUndefined();
        expect(await Promise.all([take("h1"), take("h1"), take("h1")])).toMatchObject(
          expect.arrayContaining([
            expect.objectContaining({ state: "running", allowedBy: "a-c1" }),
            undefined,
            undefined,
          ]),
        );
        expect(await take("h1")).toBeUndefined();
      }),
  );

  it("does not take a grant that has expired", () =>
    withCalls(async ({ db, ask, answer }) => {
      const { call } = await ask("c1");
      await answer("c1", "once");
      const taking = { callId: call.id, argsHash: "h1", runnerId: "r", leaseUntil: later(200) };
      expect(await takeGrant(db, taking, later(61))).toBeUndefined();
      expect(await expireApprovals(db, lapse, later(61), { limit: 10 })).toEqual([call.id]);
      expect(await getToolCall(db, call.id)).toMatchObject({ state: "failed" });
    }));

  verifies("approvals:doors:answered-once", "counts the first of two answers and tells the second so", () =>
    withCalls(async ({ ask, answer }) => {
      await ask("c1");
      const outcomes = await Promise.all([answer("c1", "once"), answer("c1", "reject")]);
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["answered", "too-late"]);
    }),
  );

  it("ends every waiting call of the session on abort, with their messages and rules", () =>
    withCalls(async ({ db, sessionId, ask, answer }) => {
      const calls = await Promise.all(["c1", "c2", "c3"].map((id) => ask(id)));
      await answer("c1", "session");
      await answer("c2", "abort");
      const states = await Promise.all(calls.map(({ call }) => getToolCall(db, call.id)));
      expect(states.map((call) => call?.state)).toEqual(["awaiting-approval", "rejected", "rejected"]);
      expect(await listToolRules(db, "team-a", sessionId)).toMatchObject([{ sessionId, rule: { tool: "write" } }]);
      expect(await takeSessionMessages(db, sessionId, now)).toEqual(["told c1", "told c2"]);
      expect(await takeSessionMessages(db, sessionId, now)).toEqual([]);
    }));

  it("numbers results, withdraws the approval of a cancelled call, and tells the log", () =>
    withCalls(async ({ db, sessionId, ask }) => {
      const { call } = await ask("c1");
      const end = { ...lapse(call), state: "cancelled" as const, callId: call.id };
      const open: readonly ToolCallState[] = ["awaiting-approval", "running"];
      const ending = await endToolCall(db, { ...end, from: open }, now);
      expect(ending).toMatchObject({ state: "cancelled", sequence: 1 });
      expect(await getToolCall(db, call.id)).toEqual({ ...call, ...ending });
      expect(await endToolCall(db, { ...end, from: open }, now)).toBeUndefined();
      expect(await getApproval(db, "team-a", "a-c1")).toMatchObject({ state: "withdrawn" });
      expect(await listResultsAfter(db, sessionId, 0, 10)).toMatchObject([{ id: call.id }]);
      expect((await listAudit(db, "team-a", { limit: 10 })).data).toHaveLength(1);
    }));

  it("tells of an end: always when another ends the call, else when someone follows it", () =>
    withCalls(async ({ db, sessionId }) => {
      const heard: string[] = [];
      const { close } = await db.listen(TOOLS_CHANNEL, (payload) => heard.push(payload));
      const start = {
        kind: "run",
        allowedBy: "user:1",
        runnerId: "r",
        leaseUntil: later(30),
        hasEffects: true,
      } as const;
      const ends: { readonly id: string; readonly isFollowed: boolean; readonly by: { readonly runnerId?: string } }[] =
        [
          { id: "own", isFollowed: false, by: { runnerId: "r" } },
          { id: "followed", isFollowed: true, by: { runnerId: "r" } },
          { id: "another's", isFollowed: false, by: {} },
        ];
      const asked = { teamId: "team-a", sessionId, tool: "write", args: {}, argsHash: "h", caller: "me" };
      const told: string[] = [];
      for (const { id, isFollowed, by } of ends) {
        const kept = await acceptToolCall(db, { ...asked, toolCallId: id, isInternal: false, start }, now);
        if (kept.kind !== "kept") throw new Error("stale");
        const { id: callId } = kept.call;
        if (isFollowed) expect(await followToolCall(db, callId)).toEqual(kept.call);
        const end = { callId, state: "succeeded", outcome: {}, audit: entry("write") } as const;
        await endToolCall(db, { ...end, ...by, from: ["running"] }, now);
        expect(await followToolCall(db, callId)).toMatchObject({ id: callId, state: "succeeded" });
        if (id !== "own") told.push(callId);
      }
      await vi.waitFor(() => {
        expect(heard.map((payload) => (JSON.parse(payload) as { callId: string }).callId)).toEqual(told);
      });
      await close();
    }));

  it("keeps teams apart", () =>
    withCalls(async ({ db, ask }) => {
      await ask("c1");
      await expect(getApproval(db, "team-b", "a-c1")).rejects.toMatchObject({ code: "not_found" });
      expect((await listApprovals(db, { teamId: "team-b", limit: 5 })).data).toEqual([]);
    }));
});

describe("sessions", () => {
  verifies(
    ["agent-protocol:sessions:make-list-close", "agent-protocol:sessions:state"],
    "are made, found by name, changed, listed and closed",
    () =>
      withCalls(async ({ db, sessionId }) => {
        const wish = { teamId: "team-a", name: "composer 7", workspaceRoot: "/w", mode: "plan" as const };
        const named = await openToolSession(db, wish, now);
        expect((await openToolSession(db, { teamId: "team-a", name: "composer 7" }, later(1))).id).toBe(named.id);
        const todos = [{ id: "1", content: "look" }];
        await updateToolSession(
          db,
          { teamId: "team-a", id: named.id },
          { mode: "agent", todos, terminals: [] },
          later(2),
        );
        expect(await getToolSession(db, "team-a", named.id)).toMatchObject({
          mode: "agent",
          todos,
          workspaceRoot: "/w",
        });
        await closeToolSession(db, "team-a", named.id, later(3));
        const { data } = await listToolSessions(db, "team-a", { limit: 10 });
        expect(data.map(({ id, closedAt }) => [id, closedAt !== null])).toEqual(
          expect.arrayContaining([
            [named.id, true],
            [sessionId, false],
          ]),
        );
      }),
  );
});

describe("the audit log", () => {
  verifies("policy:audit:hash-chained", "shows a changed, missing or swapped entry", () =>
    withCalls(async ({ db }) => {
      for (const tool of ["a", "b", "c", "d"]) await appendAudit(db, "team-a", entry(tool));
      const { data } = await listAudit(db, "team-a", { limit: 10 });
      expect(findChainBreak(data)).toBeUndefined();
      const changed = data.map((record) => ({ ...record, entry: record.entry.replace('"tool":"b"', '"tool":"x"') }));
      expect(findChainBreak(changed)).toEqual({ sequence: 2, problem: "changed" });
      expect(findChainBreak(data.filter(({ sequence }) => sequence !== 3))).toEqual({
        sequence: 3,
        problem: "missing",
      });
      const [a, b, c, d] = data;
      if (!a || !b || !c || !d) throw new Error("four in, fewer out");
      const swapped = [a, { ...c, sequence: 2 }, { ...b, sequence: 3 }, d];
      expect(findChainBreak(swapped)).toEqual({ sequence: 2, problem: "changed" });
      expect(findChainBreak(data.slice(2), { sequence: 2, hash: b.hash })).toBeUndefined();
    }),
  );

  it("keeps no call that was judged by a session or rules that changed since", () =>
    withCalls(async ({ db, sessionId, ask, answer }) => {
      const versionOf = async (): Promise<string> => (await readCallContext(db, "team-a", sessionId)).version;
      const first = await versionOf();
      expect((await ask("one", first)).isNew).toBe(true);
      expect(await versionOf()).toBe(first);
      await answer("one", "session"); // saves a rule
      const second = await versionOf();
      await expect(ask("two", first)).rejects.toThrow("stale");
      expect((await ask("one", first)).isNew).toBe(false); // known: there is nothing to judge
      await ask("two", second);
      await updateToolSession(db, { teamId: "team-a", id: sessionId }, { mode: "plan" }, now);
      await expect(ask("three", second)).rejects.toThrow("stale");
      const third = await versionOf();
      await closeToolSession(db, "team-a", sessionId, now);
      await expect(ask("three", third)).rejects.toThrow("stale");
      await expect(readCallContext(db, "team-b", sessionId)).rejects.toMatchObject({ code: "not_found" });
    }));

  it("keeps its chain whole when many write at once", () =>
    withCalls(async ({ db }) => {
      await Promise.all(Array.from({ length: 40 }, (_, index) => appendAudit(db, "team-a", entry(String(index)))));
      const { data } = await listAudit(db, "team-a", { limit: 100 });
      expect([data.length, findChainBreak(data)]).toEqual([40, undefined]);
    }));
});

interface Calls {
  readonly db: Database;
  readonly sessionId: string;
  readonly ask: (
    toolCallId: string,
    contextVersion?: string,
  ) => Promise<Extract<AcceptOutcome, { readonly kind: "kept" }>>;
  readonly answer: (
    toolCallId: string,
    decision: "once" | "session" | "reject" | "abort",
  ) => ReturnType<typeof answerApproval>;
}

function withCalls(work: (calls: Calls) => Promise<void>): Promise<void> {
  return withDatabase(async (db) => {
    for (const id of ["team-a", "team-b"]) await db.query("INSERT INTO teams (id, name) VALUES ($1, $1)", [id]);
    const { id: sessionId } = await openToolSession(db, { teamId: "team-a" }, now);
    await work({
      db,
      sessionId,
      ask: async (toolCallId, contextVersion) => {
        const outcome = await acceptToolCall(
          db,
          {
            teamId: "team-a",
            sessionId,
            toolCallId,
            tool: "write",
            args: { path: toolCallId },
            argsHash: "h1",
            caller: "someone",
            isInternal: false,
            start: { kind: "ask", approval: { id: `a-${toolCallId}`, question: {}, expiresAt: later(60) } },
            ...(contextVersion === undefined ? {} : { contextVersion }),
          },
          now,
        );
        if (outcome.kind === "stale") throw new Error("stale");
        return outcome;
      },
      answer: (toolCallId, decision) =>
        answerApproval(
          db,
          {
            teamId: "team-a",
            approvalId: `a-${toolCallId}`,
            decision,
            reason: "",
            review: null,
            editedArgs: null,
            answeredBy: "a person",
            rule: { tool: "write" },
            message: `told ${toolCallId}`,
          },
          (call) => ({ ...lapse(call), state: "rejected" }),
          later(1),
        ),
    });
  });
}

const lapse: EndOfCall = (call) => ({
  state: "failed",
  outcome: { kind: "failed" },
  audit: { ...entry(call.tool), callId: call.id },
});

function entry(tool: string): AuditEntry {
  return {
    at: now.toISOString(),
    callId: null,
    sessionId: null,
    toolCallId: "c",
    tool,
    argsHash: "h",
    decision: "ask",
    decidedBy: "default",
    who: "someone",
    result: "failed",
    durationMs: 1,
    isInternal: false,
  };
}
