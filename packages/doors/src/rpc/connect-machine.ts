import { create } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { WorkspaceMachine, type PolicyFile, type SessionChanges, type Tool, type ToolRegistry } from "@quarry/agent";
import { AppError, sleep } from "@quarry/base";
import { SessionRequestSchema, ToolService, type SessionRequest } from "@quarry/contract";
import { MessageQueue } from "./message-queue.ts";
import { readExecute, toReportMessage } from "./machine-messages.ts";

/** How often this machine says that it is there. */
const HEARTBEAT_MS = 10_000;
/** A line on which nothing was heard for so long is dead. */
const SILENCE_MS = 35_000;
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 10_000;

/** A machine that offers its workspace to a server. */
export interface MachineOptions {
  readonly url: string;
  readonly key: string | undefined;
  /** Names the machine: a session it has served stays its own. */
  readonly name: string;
  /** The session to serve; a new one is made without it. */
  readonly sessionId?: string | undefined;
  readonly registry: ToolRegistry;
  readonly tiers: readonly Tool["tier"][];
  /** Rules files of the workspace, which may only tighten. */
  readonly policyFiles: readonly PolicyFile[];
  /** What tools changed here, and the ways back. */
  readonly changes?: SessionChanges;
  readonly onEvent: (
    event:
      | { readonly kind: "connected"; readonly sessionId: string; readonly isFirst: boolean }
      | { readonly kind: "disconnected"; readonly reason: string; readonly againInMs: number },
  ) => void;
}

/**
 * Serves a workspace over a session's stream until `signal` aborts, and comes
 * back after every disconnect; work goes on meanwhile. Rejects when the server
 * refuses it for good: a wrong key, a session of another machine, a first
 * connection that fails.
 */
export async function connectMachine(options: MachineOptions, signal: AbortSignal): Promise<void> {
  const transport = createConnectTransport({ baseUrl: options.url, httpVersion: "2", useBinaryFormat: true });
  const client = createClient(ToolService, transport);
  let machine: WorkspaceMachine | undefined;
  let sessionId = options.sessionId ?? "";
  let waitMs = FIRST_WAIT_MS;
  try {
    for (;;) {
      const line = new Line(signal);
      try {
        const headers = options.key === undefined ? {} : { "x-api-key": options.key };
        line.open({ sessionId, name: options.name });
        for await (const { message } of client.session(line.requests(), { headers, signal: line.signal })) {
          line.heard();
          if (message.case === "opened") {
            const isFirst = machine === undefined;
            sessionId = message.value.sessionId;
            machine ??= new WorkspaceMachine({ ...options, session: { id: sessionId, workspaceRoot: "" } });
            machine.setSink((id, report) => line.say({ case: "executionReport", value: toReportMessage(id, report) }));
            waitMs = FIRST_WAIT_MS;
            options.onEvent({ kind: "connected", sessionId, isFirst });
          } else if (message.case === "execute") machine?.take(readExecute(message.value));
          else if (message.case === "stopExecution") machine?.stop(message.value.executionId);
        }
        throw new AppError("unavailable", "the server closed the line", { retryable: true });
      } catch (error) {
        if (signal.aborted) return;
        const isFinal = FINAL.has(codeOf(error));
        if (isFinal || machine === undefined) throw error;
        machine.setSink(undefined);
        const reason = error instanceof Error ? error.message : "unknown";
        options.onEvent({ kind: "disconnected", reason, againInMs: waitMs });
        await sleep(waitMs, signal).catch(() => undefined); // the next round sees the abort
        if (isAborted(signal)) return;
        waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
      } finally {
        line.close();
      }
    }
  } finally {
    machine?.close();
  }
}

/** One connection: what goes up, and whether the other side still lives. */
class Line {
  readonly #queue = new MessageQueue<SessionRequest>();
  readonly #silence = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly signal: AbortSignal;
  #lastHeardMs = performance.now();

  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#silence.signal]);
    this.#timer = setInterval(() => {
      this.say({ case: "heartbeat", value: {} });
      if (performance.now() - this.#lastHeardMs > SILENCE_MS) {
        this.#silence.abort(new AppError("timeout", "the server is silent"));
      }
    }, HEARTBEAT_MS);
  }

  open(of: { readonly sessionId: string; readonly name: string }): void {
    this.say({ case: "open", value: { sessionId: of.sessionId, machine: { name: of.name } } });
  }

  say(message: NonNullable<Parameters<typeof create<typeof SessionRequestSchema>>[1]>["message"] & object): void {
    this.#queue.put(create(SessionRequestSchema, { message }));
  }

  heard(): void {
    this.#lastHeardMs = performance.now();
  }

  requests(): AsyncGenerator<SessionRequest> {
    return this.#queue.read();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#queue.close();
  }
}

/** Connect's codes that trying again does not change: a bad request, no right, no such session, another's session. */
const FINAL: ReadonlySet<number> = new Set([3, 5, 7, 9, 12, 16]);

function codeOf(error: unknown): number {
  return error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : 0;
}

function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
