import type { JsonObject } from "@bufbuild/protobuf";
import { ClientSideToolV2 } from "@quarry/contract";
import {
  findToolCall,
  listAudit,
  openToolSession,
  updateToolSession,
  type Database,
  type ToolSession,
} from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { expect, it } from "vitest";
import type { EndedCall } from "./spine.ts";
import { writeNoteTool } from "./testing.ts";
import { createToolRegistry } from "./tool-registry.ts";
import { ToolRuntime } from "./tool-runtime.ts";
import type { ToolContext } from "./tool.ts";

const caller = { teamId: "team", name: "an agent" };
const NOW = new Date("2026-11-15T12:00:00Z");

interface World {
  readonly db: Database;
  readonly runtime: ToolRuntime;
  readonly session: ToolSession;
  /** The statements sent so far. */
  readonly statements: readonly string[];
}

it("writes a call that only looks down once, with its end and its line in the log", async () => {
  await withLooks(
    () => Promise.resolve(),
    async ({ runtime, session, statements, db }) => {
      await end(runtime, session, "warm");
      const before = statements.length;
      const ended = await end(runtime, session, "a");
      expect(statements.slice(before).map((sql) => sql.slice(0, 21))).toEqual(["WITH numbered AS (\n  "]);
      expect(await findToolCall(db, session.id, "a")).toEqual(ended.call);
      const { data } = await listAudit(db, "team", { limit: 10 });
      expect(data.map(({ entry }) => JSON.parse(entry) as JsonObject)).toMatchObject([
        { toolCallId: "warm", decidedBy: "default:read", result: "succeeded" },
        { toolCallId: "a", callId: ended.call?.id, sessionId: session.id, result: "succeeded" },
      ]);
    },
  );
});

it("gives a repeated look the result it had, and refuses its id to another call", async () => {
  let looks = 0;
  await withLooks(
    () => Promise.resolve(void (looks += 1)),
    async ({ runtime, session, db }) => {
      const first = await end(runtime, session, "a");
      const again = await Promise.all([end(runtime, session, "a"), end(runtime, session, "a")]);
      expect(again.map(({ call }) => call)).toEqual([first.call, first.call]);
      expect((await listAudit(db, "team", { limit: 10 })).data).toHaveLength(1);
      const other = await end(runtime, session, "a", "another note");
      expect(other).toMatchObject({ outcome: { kind: "failed", error: { client: "tool_call_id was used before" } } });
    },
  );
});

it("shows a look that takes long as running, and calls it off", async () => {
  const untilAborted = (_: JsonObject, { signal }: ToolContext): Promise<void> =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("called off"))));
  await withLooks(untilAborted, async ({ runtime, session, db }) => {
    const live = runtime.call(request(session, "slow"));
    await live.kept;
    expect(await findToolCall(db, session.id, "slow")).toMatchObject({ state: "running", id: live.callId });
    expect(await runtime.cancel(session, "slow")).toBe(true);
    expect(await live.ended).toMatchObject({ outcome: { kind: "cancelled" }, call: { state: "cancelled" } });
  });
});

it("judges a look again when its rules changed while it looked", async () => {
  let looks = 0;
  const world: { now?: World } = {};
  const changing = async (): Promise<void> => {
    looks += 1;
    const { now } = world;
    if (looks === 1 && now !== undefined)
      await updateToolSession(now.db, now.session, { workspaceRoot: "/elsewhere" }, NOW);
  };
  await withLooks(changing, async (made) => {
    world.now = made;
    const ended = await end(made.runtime, made.session, "a");
    expect([looks, ended.outcome.kind, ended.call?.sequence]).toEqual([2, "succeeded", 1]);
  });
});

async function withLooks(
  work: (args: JsonObject, context: ToolContext) => Promise<void>,
  use: (world: World) => Promise<void>,
): Promise<void> {
  await withDatabase(async (database) => {
    await database.query("INSERT INTO teams (id, name) VALUES ('team', 'team')");
    const statements: string[] = [];
    const db: Database = {
      ...database,
      query: (sql, ...rest) => {
        statements.push(sql);
        return database.query(sql, ...rest);
      },
    };
    const note = writeNoteTool(work);
    const look = { ...note, tier: "read" as const, annotations: { ...note.annotations, readOnly: true } };
    const failures: string[] = [];
    const runtime = await ToolRuntime.start({
      db,
      clock: { now: () => NOW },
      registry: createToolRegistry([look]),
      headless: undefined,
      filesOf: () => [],
      onFailure: (error) => failures.push(error.message),
    });
    try {
      const session = await openToolSession(db, { teamId: "team", name: "s", workspaceRoot: "" }, NOW);
      await use({ db: database, runtime, session, statements });
      expect(failures).toEqual([]);
    } finally {
      await runtime.close();
    }
  });
}

function request(session: ToolSession, toolCallId: string, path = "note"): Parameters<ToolRuntime["call"]>[0] {
  const args = { relativeWorkspacePath: path };
  return {
    caller,
    session,
    toolCallId,
    given: {
      clientTool: ClientSideToolV2.EDIT_FILE_V2,
      name: "",
      rawArgs: "",
      params: { member: "editFileV2Params", args },
    },
    isInternal: false,
    timeoutMs: undefined,
  };
}

function end(runtime: ToolRuntime, session: ToolSession, toolCallId: string, path?: string): Promise<EndedCall> {
  return runtime.call(request(session, toolCallId, path)).ended;
}
