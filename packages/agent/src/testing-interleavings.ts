import type { JsonObject } from "@bufbuild/protobuf";
import { ClientSideToolV2 } from "@quarry/contract";
import {
  acceptToolCall,
  endToolCall,
  listLostCalls,
  openToolSession,
  readCallContext,
  takeGrant,
  type Database,
  type Queryable,
  type ToolCall,
  type ToolSession,
} from "@quarry/store";
import { answerApproval } from "./answer-approval.ts";
import { endLost, endOverdue } from "./await-grant.ts";
import { cancelCall } from "./cancel-call.ts";
import { runToolCall } from "./run-tool-call.ts";
import { APPROVAL_TTL_MS, LEASE_MS, type SpineDeps } from "./spine.ts";
import { writeNoteTool } from "./testing-tools.ts";
import { createToolRegistry } from "./tool-registry.ts";

/** Chance, as the soaks have it. */
export interface Chance {
  readonly integer: (least: number, most: number) => number;
  readonly pick: <T>(list: readonly T[]) => T;
  readonly chance: (probability: number) => boolean;
}

/** A mistake put into the store, to see that the proof notices. */
export type Plant = Partial<SpineDeps["store"]>;

/** What one interleaving did and found. */
export interface Interleaving {
  readonly actions: number;
  readonly effects: number;
  readonly violations: readonly string[];
}

interface Effect {
  readonly path: string;
  readonly contents: string;
}

const CALLS = ["c1", "c2"];

/**
 * One random interleaving of calls, answers, cancels, deaths and restarts on the
 * real spine and store, with a clock of its own. Then everything that must hold
 * is checked: no effect without a grant or rule on record, no grant used twice,
 * no effect with other arguments than granted, no call left unfinished.
 */
export async function runInterleaving(
  db: Database,
  teamId: string,
  chance: Chance,
  plant: Plant = {},
): Promise<Interleaving> {
  const world = new World(preparing(db), chance, plant);
  const session = await openToolSession(world.db, { teamId }, world.clock.now());
  const steps = chance.integer(3, 7);
  for (let step = 0; step < steps; step += 1) {
    const atOnce = chance.chance(0.3) ? 2 : 1;
    await Promise.all(Array.from({ length: atOnce }, () => world.act(session)));
  }
  world.isCalm = true;
  world.pass(APPROVAL_TTL_MS + LEASE_MS + 1);
  await world.tidy(session);
  return { actions: world.actions, effects: world.effects.length, violations: await findViolations(world, session) };
}

/** The same few statements run a million times: planning them anew would be most of the work. */
function preparing(db: Database): Database {
  const prepare = (of: Queryable): Queryable["query"] => {
    return (sql, values) => of.query(sql, values, { isPrepared: true });
  };
  return {
    ...db,
    query: prepare(db),
    transaction: (work) => db.transaction((tx) => work({ ...tx, query: prepare(tx) })),
  };
}

class World {
  readonly effects: Effect[] = [];
  readonly clock = { now: () => new Date(this.#nowMs) };
  readonly db: Database;
  actions = 0;
  /** In calm no process dies any more. */
  isCalm = false;
  asked: string | undefined;
  answered: string | undefined;
  readonly #chance: Chance;
  readonly #plant: Plant;
  #nowMs = Date.parse("2026-11-15T12:00:00Z");
  #processes = 0;

  constructor(db: Database, chance: Chance, plant: Plant) {
    this.db = db;
    this.#chance = chance;
    this.#plant = plant;
  }

  pass(milliseconds: number): void {
    this.#nowMs += milliseconds;
  }

  async act(session: ToolSession): Promise<void> {
    this.actions += 1;
    const chance = this.#chance;
    // What was asked is often answered, and what was answered often asked for again: else little would ever run.
    const { asked, answered } = this;
    if (answered !== undefined && chance.chance(0.6)) return this.#call(session, answered);
    if (asked !== undefined && chance.chance(0.5)) return this.#answer(session, asked);
    const id = chance.pick(CALLS);
    const roll = chance.integer(0, 99);
    if (roll < 50) return this.#call(session, id);
    if (roll < 80) return this.#answer(session, id);
    if (roll < 86) {
      await cancelCall(this.#process(undefined), session, id);
      return;
    }
    if (roll < 95) {
      this.pass(chance.pick([1, 1_000, LEASE_MS + 1]));
      return this.tidy(session);
    }
    this.pass(APPROVAL_TTL_MS);
    return this.tidy(session);
  }

  /** What a starting process does first. */
  async tidy({ id: sessionId }: ToolSession): Promise<void> {
    const deps = this.#process(undefined);
    const lost = await listLostCalls(this.db, this.clock.now(), { sessionId, limit: 100 });
    for (const call of lost) await endLost(deps, call);
    await endOverdue(deps, sessionId);
  }

  /** Both calls write to one path, so that a rule saved for one can let the other run. */
  async #call(session: ToolSession, id: string): Promise<void> {
    const path = `${session.id}/note`;
    const contents = this.#chance.chance(0.1) ? `${id} changed` : id;
    this.asked = this.answered === id ? undefined : id;
    const gone = new Gone();
    const running = runToolCall(
      this.#process(gone),
      {
        caller: { teamId: session.teamId, name: "agent" },
        session,
        toolCallId: id,
        isInternal: false,
        timeoutMs: undefined,
        given: {
          clientTool: ClientSideToolV2.EDIT_FILE_V2,
          name: "",
          rawArgs: "",
          params: { member: "editFileV2Params", args: { relativeWorkspacePath: path, contentsAfterEdit: contents } },
        },
      },
      new AbortController().signal,
    );
    for (;;) {
      const step = await Promise.race([running.next(), gone.promise]);
      if (step === "gone" || step.done === true) break;
    }
    if (this.answered === id) this.answered = undefined;
  }

  async #answer(session: ToolSession, id: string): Promise<void> {
    const [approval] = await this.db.query<{ readonly id: string; readonly args: JsonObject }>(
      "SELECT id, args FROM tool_approvals WHERE session_id = $1 AND tool_call_id = $2",
      [session.id, id],
    );
    if (approval === undefined) return;
    this.asked = undefined;
    this.answered = id;
    const chance = this.#chance;
    const decision = chance.pick(["once", "once", "once", "once", "session", "reject", "abort"] as const);
    const isEdited = chance.chance(0.2);
    const args: JsonObject = { ...approval.args, contentsAfterEdit: `${id} edited` };
    await answerApproval(this.#process(undefined), {
      teamId: session.teamId,
      approvalId: approval.id,
      decision,
      reason: "",
      answeredBy: "person",
      ...(isEdited ? { args } : {}),
    });
  }

  /** A process that may die before or after each of its steps, and that leaves instead of waiting. */
  #process(gone: Gone | undefined): SpineDeps {
    this.#processes += 1;
    const mayDie = async <T>(step: () => Promise<T>): Promise<T> => {
      if (this.#dies(gone)) return gone?.leave() ?? never();
      const result = await step();
      if (this.#dies(gone)) return gone?.leave() ?? never();
      return result;
    };
    const store = { acceptToolCall, takeGrant, endToolCall, ...this.#plant };
    return {
      db: this.db,
      clock: this.clock,
      headless: undefined,
      runnerId: `process ${this.#processes}`,
      registry: createToolRegistry([
        writeNoteTool((args) =>
          mayDie(() => {
            this.effects.push({ path: text(args["relativeWorkspacePath"]), contents: text(args["contentsAfterEdit"]) });
            return Promise.resolve();
          }),
        ),
      ]),
      contexts: {
        get: (...of) => readCallContext(this.db, ...of),
        renew: (...of) => readCallContext(this.db, ...of),
      },
      executorOf: (tool) => tool,
      policyFiles: { read: () => [] },
      attach: (_, outcome) => Promise.resolve(outcome),
      askHooks: () => Promise.resolve([]),
      filesOf: () => [],
      watchCall: () => ({ wait: () => gone?.leave() ?? never(), stop: () => undefined }),
      store: {
        acceptToolCall: (...given) => mayDie(() => store.acceptToolCall(...given)),
        takeGrant: (...given) => mayDie(() => store.takeGrant(...given)),
        endToolCall: (...given) => mayDie(() => store.endToolCall(...given)),
      },
    };
  }

  #dies(gone: Gone | undefined): boolean {
    return gone !== undefined && !this.isCalm && this.#chance.chance(0.06);
  }
}

/** The moment a process is no more: what it awaited never comes. */
class Gone {
  readonly promise: Promise<"gone">;
  #tell: (gone: "gone") => void = () => undefined;

  constructor() {
    this.promise = new Promise((resolve) => (this.#tell = resolve));
  }

  leave(): Promise<never> {
    this.#tell("gone");
    return never();
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

async function findViolations(world: World, session: ToolSession): Promise<readonly string[]> {
  const violations: string[] = [];
  const rows = await world.db.query<{
    tool_call_id: string;
    state: ToolCall["state"];
    run_args: { relativeWorkspacePath: string; contentsAfterEdit: string };
    allowed_by: string | null;
    is_granted: boolean;
    is_ruled: boolean;
    grant_args: { contentsAfterEdit: string } | null;
  }>(
    `SELECT c.tool_call_id, c.state, c.run_args, c.allowed_by, coalesce(a.state = 'used', false) AS is_granted,
            r.id IS NOT NULL AS is_ruled, coalesce(a.edited_args, a.args) AS grant_args
     FROM tool_calls c
     LEFT JOIN tool_approvals a ON a.id = c.allowed_by AND a.call_id = c.id
     LEFT JOIN tool_rules r ON r.id = c.allowed_by
     WHERE c.session_id = $1`,
    [session.id],
  );
  for (const row of rows) {
    if (row.state === "awaiting-approval" || row.state === "running") {
      violations.push(`${row.tool_call_id} is stuck in ${row.state}`);
    }
    if (row.is_granted && row.grant_args?.contentsAfterEdit !== row.run_args.contentsAfterEdit) {
      violations.push(`${row.tool_call_id} ran other arguments than were granted`);
    }
  }
  const allowed = rows.filter((row) => row.allowed_by !== null && (row.is_granted || row.is_ruled));
  const key = ({ path, contents }: Effect): string => `${path} ${contents}`;
  const budget = new Map<string, number>();
  for (const { run_args: args } of allowed) {
    const name = key({ path: args.relativeWorkspacePath, contents: args.contentsAfterEdit });
    budget.set(name, (budget.get(name) ?? 0) + 1);
  }
  for (const effect of world.effects) {
    const left = budget.get(key(effect)) ?? 0;
    if (left === 0) violations.push(`"${effect.contents}" was written without a grant of its own`);
    budget.set(key(effect), left - 1);
  }
  return violations;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
