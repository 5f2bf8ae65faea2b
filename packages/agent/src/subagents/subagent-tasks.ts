import type { JsonObject } from "@bufbuild/protobuf";
import { AppError, makeId, type Clock } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import {
  endAgentTask,
  extendTaskLeases,
  findApprovalOfCall,
  getToolSession,
  listLostTasks,
  listWaitingCalls,
  openToolSession,
  startAgentTask,
  takeTaskMessages,
  type AgentTask,
  type AgentTaskEnd,
  type Database,
  type Json,
  type SessionMode,
  type ToolSession,
} from "@quarry/store";
import type { LiveCall } from "../live-call.ts";
import type { CallRequest, EndedCall } from "../spine.ts";
import { LEASE_MS } from "../spine.ts";
import type { Tool } from "../tool.ts";
import type { SubagentCallEnd, SubagentRunner, SubagentWork } from "./subagent-runner.ts";
import { NOT_FOR_SUBAGENTS } from "./subagent-rules.ts";

/** How many sub-agents of a team work at once. */
const MAX_RUNNING = 8;
/** How much of one result a sub-agent reads. */
const MAX_RESULT_CHARACTERS = 30_000;
const RENEWAL_MS = LEASE_MS / 3;
const SWEEP_LIMIT = 100;

/** What sub-agents need from outside. */
export interface SubagentDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Undefined when nothing here can think: then no task begins. */
  readonly runner: SubagentRunner | undefined;
  readonly startCall: (request: CallRequest) => LiveCall;
  readonly cancelCall: (session: ToolSession, toolCallId: string) => Promise<boolean>;
  readonly tools: () => readonly Tool[];
  /** What the sub-agent's session changed in the workspace. */
  readonly fileResults: (session: ToolSession) => Promise<readonly JsonObject[]>;
  /** Told of what goes wrong where nobody waits for it. */
  readonly onFailure: (error: AppError) => void;
}

/** A task to begin. */
export interface TaskWish {
  readonly teamId: string;
  readonly parent: ToolSession;
  readonly toolCallId: string;
  readonly title: string;
  readonly agentName: string;
  readonly isBackground: boolean;
  readonly mode: SessionMode;
  readonly workspaceRoot: string;
  /** Undefined for anywhere. */
  readonly writeDirectories: readonly string[] | undefined;
  readonly request: TaskRequest;
}

/** What a task's row keeps of how it was asked for. */
export interface TaskRequest {
  readonly prompt: string;
  readonly kind: string;
  readonly model: string | undefined;
  readonly isMax: boolean;
  /** Whether the console shows it opened while it runs. */
  readonly isExpanded: boolean;
}

/**
 * The sub-agents of this process. A task is a row from its beginning; one that its process left behind ends as
 * failed, so that nobody waits for it in vain. Closing ends what runs here.
 */
export class SubagentTasks {
  readonly #deps: SubagentDeps;
  readonly #runnerId: string;
  readonly #running = new Map<string, { readonly stop: AbortController; readonly ended: Promise<void> }>();
  #sweep: NodeJS.Timeout | undefined;

  constructor(deps: SubagentDeps) {
    this.#deps = deps;
    this.#runnerId = makeId("runner", deps.clock.now());
  }

  /** Whether there is anything that can do a task. */
  get canBegin(): boolean {
    return this.#deps.runner !== undefined;
  }

  /** Begins to look after the tasks: first of all those of dead processes end. */
  async start(): Promise<void> {
    this.#sweep = setInterval(() => void this.#tidy(), RENEWAL_MS);
    this.#sweep.unref();
    await this.#tidy();
  }

  /** Begins a task, which then goes on by itself; the task of a call that began one comes back as it is. */
  async begin(wish: TaskWish): Promise<AgentTask> {
    const { runner, db, clock } = this.#deps;
    if (runner === undefined) throw new AppError("unprocessable", "there is no language model for sub-agents");
    const now = clock.now();
    const { teamId, parent, toolCallId, title, agentName, isBackground, mode, workspaceRoot, writeDirectories } = wish;
    const session = await openToolSession(
      db,
      {
        teamId,
        // The same call again finds the same session.
        name: `sub-agent ${parent.id} ${toolCallId}`,
        workspaceRoot,
        mode,
        parentId: parent.id,
        agentName,
        writeDirectories,
        ...(parent.machine === null ? {} : { machine: parent.machine }),
      },
      now,
    );
    const { task, isNew } = await startAgentTask(
      db,
      {
        teamId,
        parentSessionId: parent.id,
        toolCallId,
        sessionId: session.id,
        title,
        request: wish.request as unknown as Json, // JSON once what is undefined is left out
        isBackground,
        runnerId: this.#runnerId,
        leaseUntil: this.#leaseEnd(),
      },
      {
        maxRunning: MAX_RUNNING,
        refusal: `It could not begin: ${MAX_RUNNING} sub-agents work already. Await one first.`,
      },
      now,
    );
    if (isNew && task.state === "running") this.#run(task, session, { ...wish, runner });
    return task;
  }

  /** Stops a task as a person would; nothing happens when it is over or runs elsewhere. */
  stop(taskId: string, reason: Error): void {
    this.#running.get(taskId)?.stop.abort(reason);
  }

  /** Ends what runs here, as failed: the next process does not go on with it. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    const running = [...this.#running.values()];
    for (const { stop } of running) stop.abort(new AppError("unavailable", "the server stops"));
    await Promise.all(running.map(({ ended }) => ended));
  }

  #run(task: AgentTask, session: ToolSession, by: TaskWish & { readonly runner: SubagentRunner }): void {
    const stop = new AbortController();
    const ended = this.#work(task, session, { ...by, signal: stop.signal })
      .catch((error: unknown) => this.#deps.onFailure(AppError.from(error)))
      .finally(() => this.#running.delete(task.id));
    this.#running.set(task.id, { stop, ended });
  }

  async #work(
    task: AgentTask,
    session: ToolSession,
    by: TaskWish & { readonly runner: SubagentRunner; readonly signal: AbortSignal },
  ): Promise<void> {
    const { signal, request, agentName, title } = by;
    const work: SubagentWork = {
      agentName,
      title,
      prompt: request.prompt,
      kind: request.kind,
      model: request.model,
      isMax: request.isMax,
      tools: toolsFor(this.#deps.tools(), session, request.kind),
      call: (wanted) => this.#call(session, wanted, signal),
      takeMessages: () => takeTaskMessages(this.#deps.db, task.id, this.#deps.clock.now()),
      complete: async (summary) => this.#end(session, { id: task.id, state: "completed", summary }),
    };
    try {
      const end = await by.runner.run(work, signal);
      if (end.kind !== "completed") await this.#end(session, { id: task.id, state: end.kind, summary: end.summary });
    } catch (error) {
      await this.#end(session, { id: task.id, ...endOfFailure(error, signal) });
    }
  }

  async #call(
    session: ToolSession,
    wanted: Parameters<SubagentWork["call"]>[0],
    signal: AbortSignal,
  ): Promise<SubagentCallEnd> {
    signal.throwIfAborted();
    const { db, startCall, cancelCall } = this.#deps;
    const live = startCall({
      caller: { teamId: session.teamId, name: `sub-agent ${session.agentName ?? ""}` },
      session,
      toolCallId: wanted.id,
      turnId: wanted.turnId,
      given: { clientTool: ClientSideToolV2.UNSPECIFIED, name: wanted.tool, params: undefined, rawArgs: wanted.args },
      isInternal: false,
      timeoutMs: undefined,
    });
    const cancel = (): void =>
      void cancelCall(session, wanted.id).catch(() => live.stop(new AppError("canceled", "it was stopped")));
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const ended = await live.ended;
      signal.throwIfAborted();
      const approval = ended.call === undefined ? undefined : await findApprovalOfCall(db, ended.call.id);
      return { text: toText(ended), isAborted: approval?.decision === "abort" };
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  /** Ends a task, and every question of its sub-agent that still waits. False when it has ended, or must read something first. */
  async #end(session: ToolSession, end: Omit<AgentTaskEnd, "fileResults" | "runnerId">): Promise<boolean> {
    const { db, clock } = this.#deps;
    const changed = await this.#deps.fileResults(session).catch((error: unknown) => {
      this.#deps.onFailure(AppError.from(error)); // the task's own words count more
      return [];
    });
    const fileResults = changed as unknown as Json; // JSON through and through
    const ended = await endAgentTask(db, { ...end, fileResults, runnerId: this.#runnerId }, clock.now());
    if (ended === undefined) return false;
    await this.#withdraw(session);
    return true;
  }

  async #withdraw(session: ToolSession): Promise<void> {
    for (const call of await listWaitingCalls(this.#deps.db, session.id)) {
      await this.#deps.cancelCall(session, call.toolCallId);
    }
  }

  /** Keeps our leases, and ends the tasks of dead processes. */
  async #tidy(): Promise<void> {
    const { db, clock } = this.#deps;
    try {
      const ids = [...this.#running.keys()];
      if (ids.length > 0) await extendTaskLeases(db, { ids, runnerId: this.#runnerId, leaseUntil: this.#leaseEnd() });
      for (const task of await listLostTasks(db, clock.now(), SWEEP_LIMIT)) await this.#endLost(task);
    } catch (error) {
      this.#deps.onFailure(AppError.from(error)); // the next round tries again
    }
  }

  async #endLost(task: AgentTask): Promise<void> {
    const { db, clock } = this.#deps;
    const session = task.sessionId === null ? undefined : await getToolSession(db, task.teamId, task.sessionId);
    const changed = session === undefined ? [] : await this.#deps.fileResults(session);
    const fileResults = changed as unknown as Json; // JSON through and through
    const ended = await endAgentTask(db, { id: task.id, state: "errored", summary: STOPPED, fileResults }, clock.now());
    if (ended !== undefined && session !== undefined) await this.#withdraw(session);
  }

  #leaseEnd(): Date {
    return new Date(this.#deps.clock.now().getTime() + LEASE_MS);
  }
}

const STOPPED =
  "The server stopped while the sub-agent worked, so the task is not done. What it had changed stays: look at it before you begin again.";

function endOfFailure(
  error: unknown,
  signal: AbortSignal,
): { readonly state: "aborted" | "errored"; readonly summary: string } {
  const failure = AppError.from(signal.aborted ? signal.reason : error);
  if (failure.code === "canceled")
    return { state: "aborted", summary: "A person stopped the sub-agent before it was done." };
  if (signal.aborted && failure.code === "unavailable") return { state: "errored", summary: STOPPED };
  const why = failure.code === "internal" ? "for a reason inside the server" : failure.message;
  return { state: "errored", summary: `The sub-agent failed: ${why}. What it had changed stays.` };
}

/** What a sub-agent is offered: nothing that it would be refused in any case. */
function toolsFor(tools: readonly Tool[], session: ToolSession, kind: string): readonly Tool[] {
  const isShell = kind === "bash" || kind === "shell";
  return tools.filter(({ name, tier, obeysModes = false }) => {
    if (NOT_FOR_SUBAGENTS.includes(name)) return false;
    if (session.mode !== "agent" && !obeysModes && (tier === "write" || tier === "exec")) return false;
    if (session.writeDirectories !== null && tier === "exec") return false;
    return !isShell || tier === "read" || tier === "exec";
  });
}

/** What a sub-agent reads of a call: the result, or the sentence for models, and the nudges beside it. */
function toText({ outcome }: EndedCall): string {
  const nudges = (outcome.attachments?.["nudgeMessages"] ?? []) as readonly { readonly rawMessage?: string }[];
  const told = nudges.map(({ rawMessage = "" }) => `\n${rawMessage}`).join("");
  switch (outcome.kind) {
    case "succeeded":
      return cut(JSON.stringify(outcome.result)) + told;
    case "failed":
      return outcome.error.model + told;
    case "rejected":
      return `The person declined: ${outcome.reason}. Do not try the same another way.${told}`;
    case "cancelled":
      return `The call was cancelled.${told}`;
  }
}

function cut(text: string): string {
  if (text.length <= MAX_RESULT_CHARACTERS) return text;
  return `${text.slice(0, MAX_RESULT_CHARACTERS)}… (${text.length - MAX_RESULT_CHARACTERS} more characters; ask for less)`;
}
