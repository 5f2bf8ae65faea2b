import { parentPort } from "node:worker_threads";
import { AppError } from "./app-error.ts";

/** What a pool sends a thread. */
export interface ThreadRequest {
  readonly input: unknown;
}

/** What a thread answers. */
export type ThreadReply =
  | { readonly kind: "done"; readonly output: unknown }
  | { readonly kind: "failed"; readonly code: string; readonly message: string; readonly retryable: boolean };

/** What a handler may return when some of its output should move rather than be copied. */
export interface Transferred {
  readonly output: unknown;
  readonly transfer: readonly ArrayBuffer[];
}

/** The thread's side of a `ThreadPool`: answers each task with `handle`. Call it once, at the end of the entry file. */
export function serveThread(handle: (input: unknown) => Promise<Transferred> | Transferred): void {
  const port = parentPort;
  if (port === null) throw new Error("serveThread runs in a worker thread only");
  port.on("message", (request: ThreadRequest) => {
    void (async () => {
      try {
        const { output, transfer } = await handle(request.input);
        port.postMessage({ kind: "done", output } satisfies ThreadReply, [...transfer]);
      } catch (thrown) {
        port.postMessage(describeFailure(thrown));
      }
    })();
  });
}

function describeFailure(thrown: unknown): ThreadReply {
  const error = AppError.from(thrown);
  // The cause stays in the thread, so an accident must carry its own words across for the log.
  const message = error.code === "internal" && thrown instanceof Error ? thrown.message : error.message;
  return { kind: "failed", code: error.code, message, retryable: error.retryable };
}
