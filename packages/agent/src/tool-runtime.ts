import { AppError, makeId, type Clock } from "@quarry/base";
import {
  acceptToolCall,
  endToolCall,
  extendCallLeases,
  getToolCall,
  listLostCalls,
  openToolSession,
  takeGrant,
  type AnswerOutcome,
  type Database,
  type ToolSession,
} from "@quarry/store";
import { answerApproval, letsRun, type GivenAnswer } from "./answer-approval.ts";
import { createHooks } from "./ask-hooks.ts";
import { createAttach } from "./attachments/attach.ts";
import { endLost, endOverdue } from "./await-grant.ts";
import { cancelCall } from "./cancel-call.ts";
import { listenToCalls, type CallChanges } from "./call-changes.ts";
import { keepCallContexts } from "./call-contexts.ts";
import { LiveCall } from "./live-call.ts";
import { Machines } from "./machines.ts";
import { createPolicyFileReader, type PolicyFile } from "./policy-files.ts";
import { driveCall, runToolCall } from "./run-tool-call.ts";
import { LEASE_MS, type CallRequest, type SpineDeps, type ToolCaller } from "./spine.ts";
import type { ToolRegistry } from "./tool-registry.ts";
import type { SessionShells } from "./terminal/session-shells.ts";
import type { SessionChanges } from "./workspace/session-changes.ts";

/** What a runtime is made of. */
export interface ToolRuntimeOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly registry: ToolRegistry;
  readonly filesOf: (session: ToolSession) => readonly PolicyFile[];
  readonly headless: "approve" | "deny" | undefined;
  /** Files of programs that are asked about calls before the rules; none unless given. */
  readonly hookFiles?: readonly string[];
  /** Sub-agents of this process: ended before its calls are. */
  readonly subagents?: { readonly close: () => Promise<void> };
  /** What sessions leave running on this machine, such as shells: ended with them, and with this process. */
  readonly workspace?: {
    readonly closeSession: (sessionId: string) => Promise<void>;
    readonly close: () => Promise<void>;
    /** What sessions changed here, and the ways back. */
    readonly changes?: SessionChanges;
    /** What sessions left running here. */
    readonly shells?: SessionShells;
  };
  /** Told of what goes wrong where nobody waits for it. */
  readonly onFailure: (error: AppError) => void;
}

const LEASE_RENEWAL_MS = LEASE_MS / 3;
const SWEEP_LIMIT = 100;

/** The tool calls of this process: starts them, lets any door follow them, hears answers, cleans up after dead processes. */
export class ToolRuntime {
  readonly deps: SpineDeps;
  readonly changes: CallChanges;
  /** The machines whose workspaces are far away. */
  readonly machines = new Machines();
  readonly #options: ToolRuntimeOptions;
  readonly #contexts: ReturnType<typeof keepCallContexts>;
  readonly #live = new Map<string, LiveCall>();
  readonly #sessionIds = new Map<string, string>();
  readonly #sweep: NodeJS.Timeout;
  readonly #stopListening: () => void;

  private constructor(options: ToolRuntimeOptions, changes: CallChanges) {
    this.#options = options;
    this.changes = changes;
    const { db, clock, registry, filesOf, headless } = options;
    this.#contexts = keepCallContexts(db, changes);
    this.deps = {
      db,
      clock,
      registry,
      filesOf,
      headless,
      contexts: this.#contexts,
      executorOf: (tool, session) =>
        tool.place === "workspace" && session.machine !== null ? this.machines.executor(tool) : tool,
      attach: createAttach({ db, clock, registry }),
      askHooks: createHooks(options.hookFiles ?? []),
      policyFiles: createPolicyFileReader(),
      runnerId: makeId("runner", clock.now()),
      watchCall: changes.watchCall,
      store: { acceptToolCall, takeGrant, endToolCall },
    };
    this.#sweep = setInterval(() => void this.#tidy(), LEASE_RENEWAL_MS);
    this.#stopListening = changes.onChange((change) => {
      if (change?.state === "cancelled" && change.callId !== null) this.#cancelledElsewhere(change.callId);
      if (change?.callId === null && change.sessionId !== null) void this.#endClosed(change.teamId, change.sessionId);
    });
  }

  /** Starts a runtime: first of all it ends the calls that a dead process left. */
  static async start(options: ToolRuntimeOptions): Promise<ToolRuntime> {
    const runtime = new ToolRuntime(options, await listenToCalls(options.db));
    await runtime.#tidy();
    return runtime;
  }

  /** What sessions changed in the workspaces of this machine; undefined where there are none. */
  get sessionChanges(): SessionChanges | undefined {
    return this.#options.workspace?.changes;
  }

  /** What sessions left running on this machine; undefined where there is no workspace. */
  get sessionShells(): SessionShells | undefined {
    return this.#options.workspace?.shells;
  }

  /** Starts a call; one of an id that is on its way follows that one to its end. */
  call(request: CallRequest): LiveCall {
    const key = keyOf(request.session.id, request.toolCallId);
    const known = this.#live.get(key);
    // The id may come with other arguments, which only the spine can tell; the row keeps it from running twice.
    const live = new LiveCall((signal) => runToolCall(this.deps, request, signal));
    return known === undefined ? this.#keep(key, live) : this.#keep(makeId("again"), live);
  }

  /** Writes down an answer and, when it is a yes, sees to it that the call runs, also when nobody waits for it here. */
  async answer(given: GivenAnswer): Promise<AnswerOutcome> {
    const outcome = await answerApproval(this.deps, given);
    if (letsRun(outcome)) await this.resume(outcome.approval.callId);
    return outcome;
  }

  /** Goes on with a kept call that nobody in this process drives. */
  async resume(callId: string): Promise<LiveCall | undefined> {
    const call = await getToolCall(this.deps.db, callId);
    if (call === undefined) return undefined;
    const key = keyOf(call.sessionId, call.toolCallId);
    const options = { timeoutMs: undefined };
    return (
      this.#live.get(key) ??
      this.#keep(key, new LiveCall((signal) => driveCall(this.deps, { call, isNew: false }, { ...options, signal })))
    );
  }

  /** Calls a call off; false when it had ended, or there is none. Its approval is withdrawn. */
  async cancel(session: ToolSession, toolCallId: string): Promise<boolean> {
    const live = this.#live.get(keyOf(session.id, toolCallId));
    await live?.kept;
    const isCancelled = await cancelCall(this.deps, session, toolCallId);
    live?.stop(new AppError("canceled", "the call was cancelled"));
    return isCancelled;
  }

  /** The session of that id; without one, the session of that name, made when it is new. */
  async session(
    caller: ToolCaller,
    wish: { readonly id?: string; readonly name: string; readonly workspaceRoot?: string },
  ): Promise<ToolSession> {
    const { contexts } = this.deps;
    if (wish.id !== undefined && wish.id !== "") return (await contexts.get(caller.teamId, wish.id)).session;
    const key = `${caller.teamId}\n${wish.name}`;
    const known = this.#sessionIds.get(key);
    const open = known === undefined ? undefined : (await contexts.get(caller.teamId, known)).session;
    if (open?.closedAt === null) return open;
    const { name, workspaceRoot = "" } = wish;
    const session = await openToolSession(
      this.deps.db,
      { teamId: caller.teamId, name, workspaceRoot },
      this.deps.clock.now(),
    );
    this.#sessionIds.set(key, session.id);
    return session;
  }

  /** Stops what runs here, and listening. What waits for an answer stays as it is, for the next process. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    this.#stopListening();
    this.#contexts.close();
    await this.#options.subagents?.close();
    const open = [...this.#live.values()];
    for (const live of open) live.stop(new AppError("unavailable", "the server stops"));
    await Promise.allSettled(open.map((live) => live.ended));
    await this.#options.workspace?.close();
    this.machines.close();
    await this.changes.close();
  }

  #keep(key: string, live: LiveCall): LiveCall {
    this.#live.set(key, live);
    void live.ended
      .catch((error: unknown) => {
        const failure = AppError.from(error);
        if (failure.code !== "unavailable" && failure.code !== "canceled") this.#options.onFailure(failure);
      })
      .finally(() => {
        if (this.#live.get(key) === live) this.#live.delete(key);
      });
    return live;
  }

  /** A session that was closed keeps nothing running. */
  async #endClosed(teamId: string, sessionId: string): Promise<void> {
    const { workspace } = this.#options;
    if (workspace === undefined) return;
    try {
      const { session } = await this.deps.contexts.get(teamId, sessionId);
      if (session.closedAt !== null) await workspace.closeSession(sessionId);
    } catch (error) {
      this.#options.onFailure(AppError.from(error)); // it ends with this process at the latest
    }
  }

  #cancelledElsewhere(callId: string): void {
    for (const live of this.#live.values()) {
      if (live.callId === callId) live.stop(new AppError("canceled", "the call was cancelled"));
    }
  }

  /** Keeps our leases, ends the calls of dead processes and what nobody answered in time. */
  async #tidy(): Promise<void> {
    const { db, clock, runnerId } = this.deps;
    try {
      const ids = [...this.#live.values()].flatMap(({ callId }) => (callId === undefined ? [] : [callId]));
      const leaseUntil = new Date(clock.now().getTime() + LEASE_MS);
      if (ids.length > 0) await extendCallLeases(db, { ids, runnerId, leaseUntil });
      for (const call of await listLostCalls(db, clock.now(), { limit: SWEEP_LIMIT })) await endLost(this.deps, call);
      await endOverdue(this.deps);
    } catch (error) {
      this.#options.onFailure(AppError.from(error)); // the next round tries again
    }
  }
}

function keyOf(sessionId: string, toolCallId: string): string {
  return `${sessionId}\n${toolCallId}`;
}
