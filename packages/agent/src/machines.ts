import type { JsonObject } from "@bufbuild/protobuf";
import { AppError, makeId } from "@quarry/base";
import type { CallFacts } from "./call-facts.ts";
import { farChanges, SESSION_CHANGES } from "./far-changes.ts";
import { ToolFailure, type ToolError } from "./tool-error.ts";
import type { Executor, Tool, ToolContext, ToolEnd, ToolOutput } from "./tool.ts";
import type { SessionChanges } from "./workspace/session-changes.ts";

/** A piece of work for the machine that holds a workspace. */
export interface Execution {
  readonly id: string;
  readonly step: "inspect" | "run";
  readonly toolCallId: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly mode: ToolContext["session"]["mode"];
  /** How many of its reports came, where it is asked for again; undefined the first time. */
  readonly reportsSeen?: number;
}

/** What a machine says of its work, in order; `facts`, `succeeded` and `failed` are the end of it. */
export type ExecutionReport =
  | ToolOutput
  | { readonly kind: "facts"; readonly facts: CallFacts }
  | { readonly kind: "succeeded"; readonly result: JsonObject }
  | { readonly kind: "failed"; readonly error: ToolError };

/** A machine's open line. */
export interface MachineLine {
  readonly execute: (execution: Execution) => void;
  readonly stop: (executionId: string) => void;
  /** Another line of the same machine took its place. */
  readonly close: () => void;
}

/** How long work waits for its machine to come back before it fails. */
export const RECONNECT_MS = 30_000;
/** How long taking changes back, or listing them, may take. */
const CHANGES_MS = 60_000;

/**
 * The machines that hold workspaces, as far as they are connected to this
 * process. Work under way when a machine leaves goes on when it comes back within
 * a while, and fails when it does not.
 */
export class Machines {
  readonly #lines = new Map<string, MachineLine>();
  readonly #work = new Map<string, Work>();
  readonly #absent = new Map<string, NodeJS.Timeout>();
  readonly #reconnectMs: number;

  constructor(options: { readonly reconnectMs?: number } = {}) {
    this.#reconnectMs = options.reconnectMs ?? RECONNECT_MS;
  }

  /** A session's machine is there; work that waits for it is asked for again. Ends with the returned function. */
  attach(sessionId: string, line: MachineLine): () => void {
    clearTimeout(this.#absent.get(sessionId));
    this.#absent.delete(sessionId);
    this.#lines.get(sessionId)?.close();
    this.#lines.set(sessionId, line);
    for (const work of this.#workOf(sessionId)) line.execute({ ...work.execution, reportsSeen: work.reportsSeen });
    return () => {
      if (this.#lines.get(sessionId) !== line) return;
      this.#lines.delete(sessionId);
      const timer = setTimeout(() => this.#giveUp(sessionId), this.#reconnectMs);
      timer.unref();
      this.#absent.set(sessionId, timer);
    };
  }

  /** Takes a report of a session's machine; one about work that is over is dropped. */
  report(sessionId: string, executionId: string, report: ExecutionReport): void {
    const work = this.#work.get(executionId);
    if (work?.sessionId === sessionId) work.put(report);
  }

  /** A tool as it runs on the session's machine. */
  executor(tool: Tool): Executor {
    return {
      inspect: async (args, context) => {
        for await (const report of this.#ask(tool.name, { ...context, step: "inspect", args })) {
          if (report.kind === "facts") return report.facts;
          if (report.kind === "failed") throw new ToolFailure(report.error);
        }
        throw new AppError("upstream_failed", "the machine of this workspace said nothing about the call");
      },
      run: (args, context) => this.#run(tool, args, context),
    };
  }

  /** What a session changed on its machine, and the ways back. */
  changesOf(session: ToolContext["session"]): SessionChanges {
    return farChanges(async (args) => {
      const signal = AbortSignal.timeout(CHANGES_MS);
      const asked = { step: "run", args, session, toolCallId: makeId("changes"), signal } as const;
      for await (const report of this.#ask(SESSION_CHANGES, asked)) {
        if (report.kind === "succeeded") return report.result;
        if (report.kind === "failed") throw new AppError("unprocessable", report.error.client);
      }
      throw new AppError("upstream_failed", "the machine of this workspace ended without an answer");
    });
  }

  /** Nobody is waited for any more. */
  close(): void {
    for (const timer of this.#absent.values()) clearTimeout(timer);
    this.#absent.clear();
    for (const line of this.#lines.values()) line.close();
    this.#lines.clear();
  }

  async *#run(tool: Tool, args: JsonObject, context: ToolContext): AsyncGenerator<ToolOutput, ToolEnd> {
    for await (const report of this.#ask(tool.name, { ...context, step: "run", args })) {
      if (report.kind === "succeeded" || report.kind === "failed") return report;
      if (report.kind !== "facts") yield report;
    }
    throw new AppError("upstream_failed", "the machine of this workspace ended the call without a result");
  }

  async *#ask(
    tool: string,
    asked: Pick<Execution, "step" | "args"> & Pick<ToolContext, "session" | "toolCallId" | "signal">,
  ): AsyncGenerator<ExecutionReport> {
    const { step, args, session, toolCallId, signal } = asked;
    // A sub-agent works where its agent does.
    const sessionId = session.parentId ?? session.id;
    const line = this.#lines.get(sessionId);
    if (line === undefined && !this.#absent.has(sessionId)) throw notConnected();
    const execution = { id: makeId("execution"), step, toolCallId, tool, args, mode: session.mode };
    const work = new Work(sessionId, execution);
    this.#work.set(execution.id, work);
    try {
      line?.execute(execution);
      yield* work.reports(signal);
    } finally {
      this.#work.delete(execution.id);
      if (!work.isOver) this.#lines.get(sessionId)?.stop(execution.id);
    }
  }

  #giveUp(sessionId: string): void {
    this.#absent.delete(sessionId);
    for (const work of this.#workOf(sessionId)) work.fail(gone(work.execution));
  }

  #workOf(sessionId: string): readonly Work[] {
    return [...this.#work.values()].filter((work) => work.sessionId === sessionId);
  }
}

/** Work under way: reports that came, for the one who waits for them. */
class Work {
  readonly sessionId: string;
  readonly execution: Execution;
  reportsSeen = 0;
  isOver = false;
  readonly #reports: ExecutionReport[] = [];
  #error: AppError | undefined;
  #bell: () => void = () => undefined;

  constructor(sessionId: string, execution: Execution) {
    this.sessionId = sessionId;
    this.execution = execution;
  }

  put(report: ExecutionReport): void {
    if (this.isOver) return;
    this.reportsSeen += 1;
    this.#reports.push(report);
    this.isOver = report.kind === "facts" || report.kind === "succeeded" || report.kind === "failed";
    this.#bell();
  }

  fail(error: AppError): void {
    this.#error = error;
    this.#bell();
  }

  /** Rejects when `signal` aborts or the machine was given up. */
  async *reports(signal: AbortSignal): AsyncGenerator<ExecutionReport> {
    const ring = (): void => this.#bell();
    signal.addEventListener("abort", ring);
    try {
      for (;;) {
        signal.throwIfAborted();
        const report = this.#reports.shift();
        if (report !== undefined) yield report;
        else if (this.isOver) return;
        else if (this.#error !== undefined) throw this.#error;
        else await new Promise<void>((resolve) => (this.#bell = resolve));
      }
    } finally {
      signal.removeEventListener("abort", ring);
    }
  }
}

function notConnected(): AppError {
  return new AppError(
    "unavailable",
    "the machine that holds this workspace is not connected; run quarry agent connect there",
    { retryable: true },
  );
}

function gone({ step, tool }: Execution): AppError {
  const effect = step === "run" ? `; whether ${tool} took effect is not known` : "";
  return new AppError("unavailable", `the machine that holds this workspace left and did not come back${effect}`);
}
