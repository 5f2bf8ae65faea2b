import { AppError } from "@quarry/base";
import type { CallFacts } from "./call-facts.ts";
import { answerChanges, isTakingBack, SESSION_CHANGES } from "./far-changes.ts";
import type { Execution, ExecutionReport } from "./machines.ts";
import { createPolicyFileReader, type PolicyFile } from "./policy-files.ts";
import { toolError, toToolError, type ToolError } from "./tool-error.ts";
import type { ToolRegistry } from "./tool-registry.ts";
import type { Tool, ToolContext } from "./tool.ts";
import { validateArgs } from "./validate-call.ts";
import type { SessionChanges } from "./workspace/session-changes.ts";

/** How much finished work is remembered, to be told again after a disconnect. */
const MAX_REMEMBERED = 500;
/** How many reports of one execution are kept for that; older output is dropped first. */
const MAX_REPORTS = 10_000;

/** Where reports go: the line to the server, while there is one. */
export type ReportSink = (executionId: string, report: ExecutionReport) => void;

/**
 * The far end of a workspace: runs what a server asks for on this machine's own
 * tools. Work goes on while the line is down, and is never done twice: asked for
 * again, its reports are told again from where the server stopped hearing.
 */
export class WorkspaceMachine {
  readonly #registry: ToolRegistry;
  readonly #session: Pick<ToolContext["session"], "id" | "workspaceRoot">;
  readonly #tiers: ReadonlySet<Tool["tier"]>;
  readonly #known = new Map<string, Known>();
  readonly #policyFiles: readonly PolicyFile[];
  readonly #policyReader = createPolicyFileReader();
  readonly #changes: SessionChanges | undefined;
  #sink: ReportSink | undefined;

  constructor(options: {
    readonly registry: ToolRegistry;
    readonly session: Pick<ToolContext["session"], "id" | "workspaceRoot">;
    /** What the owner of this machine lets a server do here, whatever its policy says. */
    readonly tiers: readonly Tool["tier"][];
    /** Rules files of the workspace: they can only tighten what the server's policy says. */
    readonly policyFiles: readonly PolicyFile[];
    /** What was changed here, and the ways back. */
    readonly changes?: SessionChanges;
  }) {
    this.#registry = options.registry;
    this.#session = options.session;
    this.#tiers = new Set(options.tiers);
    this.#policyFiles = options.policyFiles;
    this.#changes = options.changes;
  }

  /** Reports go there from now on; undefined keeps them until there is a line again. */
  setSink(sink: ReportSink | undefined): void {
    this.#sink = sink;
    // What is under way is told again once the server says how much of it it heard: else some would come twice.
    for (const work of this.#known.values()) work.isMuted = true;
  }

  /** Starts work, or tells again what became of it. */
  take(execution: Execution): void {
    const known = this.#known.get(execution.id);
    if (known !== undefined) {
      known.isMuted = false;
      for (const report of known.reportsAfter(execution.reportsSeen ?? 0)) this.#sink?.(execution.id, report);
      return;
    }
    const work = new Known();
    this.#known.set(execution.id, work);
    this.#forget();
    const tell = (report: ExecutionReport): void => {
      work.add(report);
      if (!work.isMuted) this.#sink?.(execution.id, report);
    };
    void this.#do(execution, work.stop.signal, tell).catch((error: unknown) =>
      tell({ kind: "failed", error: toToolError(execution.tool, error) }),
    );
  }

  /** Nobody waits for it any more. */
  stop(executionId: string): void {
    this.#known.get(executionId)?.stop.abort(new AppError("canceled", "the call was cancelled"));
  }

  /** Stops all work. */
  close(): void {
    for (const { stop } of this.#known.values()) stop.abort(new AppError("unavailable", "the machine leaves"));
  }

  async #do(execution: Execution, signal: AbortSignal, tell: (report: ExecutionReport) => void): Promise<void> {
    if (execution.tool === SESSION_CHANGES && this.#changes !== undefined) {
      tell(await this.#takeBack(this.#changes, execution));
      return;
    }
    const tool = this.#registry.byName(execution.tool);
    if (tool?.place !== "workspace" || !this.#tiers.has(tool.tier)) {
      const error = toolError(
        `${execution.tool} cannot run on this machine`,
        `The machine that holds the workspace does not run ${execution.tool}, so nothing was done.`,
        "Go on without it, or tell the person.",
      );
      tell({ kind: "failed", error });
      return;
    }
    // A server that was restarted asks for nothing twice; a machine that was may be asked for what its former self did.
    if (execution.reportsSeen !== undefined && execution.step === "run" && tool.tier !== "read") {
      tell({ kind: "failed", error: interrupted(tool.name) });
      return;
    }
    const valid = validateArgs(tool, execution.args);
    if (valid.kind === "invalid") {
      tell({ kind: "failed", error: valid.error });
      return;
    }
    const context: ToolContext = {
      teamId: "",
      session: { ...this.#session, mode: execution.mode },
      toolCallId: execution.toolCallId,
      signal,
      // Only tools of the web look back, and they run on the server.
      earlierResults: () => Promise.resolve([]),
    };
    if (execution.step === "inspect") {
      const facts = await tool.inspect(valid.args, context);
      tell({ kind: "facts", facts: { ...facts, tightening: this.#tightening() } });
      return;
    }
    const running = tool.run(valid.args, context);
    for (;;) {
      const step = await running.next();
      tell(step.value);
      if (step.done === true) return;
    }
  }

  /** Taking changes back writes: a machine that lets nobody write does not do it either. */
  async #takeBack(changes: SessionChanges, { args, mode, reportsSeen }: Execution): Promise<ExecutionReport> {
    const isWrite = isTakingBack(args);
    if (!this.#tiers.has(isWrite ? "write" : "read")) {
      const client = `the machine that holds this workspace does not let a server ${isWrite ? "write" : "read"} there`;
      return { kind: "failed", error: toolError(client, client, "Tell the person.") };
    }
    if (isWrite && reportsSeen !== undefined) return { kind: "failed", error: interrupted("taking changes back") };
    return { kind: "succeeded", result: await answerChanges(changes, { ...this.#session, mode }, args) };
  }

  #tightening(): NonNullable<CallFacts["tightening"]> {
    const rules = this.#policyReader.read(this.#policyFiles);
    return rules.flatMap(({ id, decision, match, reason }) =>
      decision === "allow" ? [] : [{ id, decision, match, reason }],
    );
  }

  /** Finished work is forgotten, oldest first, when there is too much of it. */
  #forget(): void {
    for (const [id, { isOver }] of this.#known) {
      if (this.#known.size <= MAX_REMEMBERED) return;
      if (isOver) this.#known.delete(id);
    }
  }
}

/** What a machine says of work that its former self may have done. */
function interrupted(name: string): ToolError {
  return toolError(
    `${name} was interrupted`,
    `The machine that holds the workspace was restarted while ${name} ran; whether it took effect is not known.`,
    "Look before you call it again, with a new tool_call_id.",
  );
}

/** One piece of work and all that was said of it. */
class Known {
  readonly stop = new AbortController();
  readonly #reports: ExecutionReport[] = [];
  #dropped = 0;
  isOver = false;
  isMuted = false;

  add(report: ExecutionReport): void {
    this.#reports.push(report);
    this.isOver = report.kind === "facts" || report.kind === "succeeded" || report.kind === "failed";
    if (this.#reports.length <= MAX_REPORTS) return;
    this.#reports.shift();
    this.#dropped += 1;
  }

  reportsAfter(seen: number): readonly ExecutionReport[] {
    return this.#reports.slice(Math.max(0, seen - this.#dropped));
  }
}
