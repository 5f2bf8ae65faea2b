import { Worker } from "node:worker_threads";
import type { ExtractedDocument } from "./extracted-document.ts";
import { DEFAULT_LIMITS, type ExtractLimits } from "./limits.ts";

/** What the thread is asked. */
export interface PdfTask {
  readonly url: string;
  readonly bytes: Uint8Array;
  readonly limits: ExtractLimits;
  readonly timeoutMs: number;
}

/** What became of a PDF. */
export type PdfReply =
  | { readonly kind: "extracted"; readonly document: ExtractedDocument }
  | {
      readonly kind: "failed";
      readonly reason: "broken" | "timeout" | "too-large" | "memory";
      readonly message: string;
    };

/** How a PDF is read in a thread of its own. */
export interface PdfWorkerOptions {
  /** The bundled `pdf-worker`. */
  readonly workerUrl: URL;
  readonly signal: AbortSignal;
  readonly limits?: ExtractLimits;
  /** Pages read by then are the result; a page that takes longer ends the thread a second later. */
  readonly timeoutMs?: number;
  readonly maxMemoryMb?: number;
}

const DEFAULT_TIMEOUT_MS = 20_000;
const DEFAULT_MEMORY_MB = 512;
const GRACE_MS = 1_000;

/** Reads a PDF in a thread with limits on time and memory. Rejects only when `signal` aborts. */
export function runPdfWorker(
  input: { readonly url: string; readonly bytes: Uint8Array },
  options: PdfWorkerOptions,
): Promise<PdfReply> {
  const limits = options.limits ?? DEFAULT_LIMITS;
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const { signal } = options;
  if (input.bytes.length > limits.maxDocumentBytes) {
    return Promise.resolve({
      kind: "failed",
      reason: "too-large",
      message: `more than ${limits.maxDocumentBytes} bytes`,
    });
  }
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(new Error("aborted", { cause: signal.reason }));
      return;
    }
    const task: PdfTask = { url: input.url, bytes: input.bytes, limits, timeoutMs };
    const worker = new Worker(options.workerUrl, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: options.maxMemoryMb ?? DEFAULT_MEMORY_MB },
    });
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      void worker.terminate();
      act();
    };
    const fail = (reason: "broken" | "timeout" | "memory", message: string): void =>
      settle(() => resolve({ kind: "failed", reason, message }));
    const abort = (): void => settle(() => reject(new Error("aborted", { cause: signal.reason })));
    const timer = setTimeout(() => fail("timeout", `no result after ${timeoutMs} ms`), timeoutMs + GRACE_MS);
    signal.addEventListener("abort", abort, { once: true });
    worker.once("message", (reply: PdfReply) => settle(() => resolve(reply)));
    worker.once("error", (error: Error & { readonly code?: string }) =>
      fail(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "memory" : "broken", error.message),
    );
    worker.once("exit", () => fail("broken", "the thread ended without a result"));
  });
}
