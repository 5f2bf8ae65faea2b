import { setMaxListeners } from "node:events";
import { Worker, type ResourceLimits } from "node:worker_threads";
import { AppError, type AppErrorCode } from "./app-error.ts";
import type { ThreadReply, ThreadRequest } from "./serve-thread.ts";

/** How a pool is made. */
export interface ThreadPoolOptions {
  /** The bundled file each thread runs; it calls `serveThread`. */
  readonly entry: URL;
  readonly threads: number;
  /** Handed to each thread at its start. */
  readonly workerData?: unknown;
  /** A thread over these dies, its task fails, and a fresh thread takes its place. */
  readonly resourceLimits?: ResourceLimits;
  /** Tasks that may wait; one more is refused as `unavailable`. */
  readonly maxQueued?: number;
}

/** How one task is run. */
export interface ThreadTaskOptions {
  /** After so long the thread is ended and the task fails with `timeout`. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly transfer?: readonly ArrayBuffer[];
}

interface Task {
  readonly input: unknown;
  readonly options: ThreadTaskOptions;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
}

const DEFAULT_MAX_QUEUED = 10_000;

/**
 * A few threads for work that would stall the main one. Each thread takes one task at a time, in order of
 * arrival. A task that hangs, runs out of memory or is aborted takes its thread with it; the next task gets a new one.
 */
export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #queue: Task[] = [];
  readonly #seats: Seat[];
  #closed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    this.#seats = Array.from({ length: options.threads }, () => new Seat(options));
  }

  /** Runs one task on the next free thread. The caller knows the type its thread answers with. */
  async run(input: unknown, options: ThreadTaskOptions = {}): Promise<unknown> {
    options.signal?.throwIfAborted();
    if (options.signal !== undefined) setMaxListeners(0, options.signal); // a batch of tasks has one signal
    if (this.#closed) throw new AppError("unavailable", "the thread pool is closed");
    if (this.#queue.length >= (this.#options.maxQueued ?? DEFAULT_MAX_QUEUED)) {
      throw new AppError("unavailable", "too much work is waiting; try again in a moment", { retryable: true });
    }
    return new Promise((resolve, reject) => {
      const { signal } = options;
      const settled = (): void => signal?.removeEventListener("abort", leave);
      const task: Task = {
        input,
        options,
        resolve: (output) => {
          settled();
          resolve(output);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      };
      const leave = (): void => {
        const place = this.#queue.indexOf(task);
        if (place < 0) return; // it runs already, and its seat listens
        this.#queue.splice(place, 1);
        task.reject(abortReason(signal));
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#queue.push(task);
      this.#fill();
    });
  }

  /** Ends the threads; tasks that wait or run fail with `canceled`. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const task of this.#queue.splice(0)) task.reject(new AppError("canceled", "the thread pool was closed"));
    await Promise.all(this.#seats.map((seat) => seat.close()));
  }

  #fill(): void {
    for (const seat of this.#seats) {
      if (seat.isBusy) continue;
      const task = this.#queue.shift();
      if (task === undefined) return;
      void seat.run(task).finally(() => this.#fill());
    }
  }
}

/** One place for a thread: starts it when first needed, and again after it has died. */
class Seat {
  readonly #options: ThreadPoolOptions;
  #worker: Worker | undefined;
  #fail: ((error: Error) => void) | undefined;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#fail !== undefined;
  }

  async run(task: Task): Promise<void> {
    const worker = (this.#worker ??= this.#start());
    const { timeoutMs, signal, transfer } = task.options;
    let timer: NodeJS.Timeout | undefined;
    let onMessage: ((reply: ThreadReply) => void) | undefined;
    let onAbort: (() => void) | undefined;
    try {
      const output = await new Promise<unknown>((resolve, reject) => {
        this.#fail = reject;
        onMessage = (reply) => (reply.kind === "done" ? resolve(reply.output) : reject(toAppError(reply)));
        onAbort = () => this.#give(abortReason(signal));
        worker.once("message", onMessage);
        signal?.addEventListener("abort", onAbort, { once: true });
        if (timeoutMs !== undefined) {
          const late = new AppError("timeout", `the work took longer than ${timeoutMs} ms and was stopped`);
          timer = setTimeout(() => this.#give(late), timeoutMs);
        }
        worker.postMessage({ input: task.input } satisfies ThreadRequest, [...(transfer ?? [])]);
      });
      task.resolve(output);
    } catch (error) {
      task.reject(error instanceof Error ? error : new Error(String(error)));
    } finally {
      clearTimeout(timer);
      if (onMessage !== undefined) worker.off("message", onMessage);
      if (onAbort !== undefined) signal?.removeEventListener("abort", onAbort);
      this.#fail = undefined;
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#fail?.(new AppError("canceled", "the thread pool was closed"));
    await worker?.terminate();
  }

  #start(): Worker {
    const { entry, workerData, resourceLimits } = this.#options;
    const worker = new Worker(entry, { workerData, ...(resourceLimits === undefined ? {} : { resourceLimits }) });
    const died = (cause: unknown): void => {
      if (this.#worker === worker) this.#worker = undefined;
      this.#fail?.(new AppError("internal", `a worker thread died: ${describe(cause)}`, { cause }));
    };
    worker.on("error", died);
    worker.on("exit", (code) => died(new Error(`it exited with code ${code}`)));
    worker.unref();
    return worker;
  }

  /** Gives up on the running task: ends the thread under it. */
  #give(reason: Error): void {
    const worker = this.#worker;
    this.#worker = undefined;
    const fail = this.#fail;
    worker?.removeAllListeners("exit");
    void worker?.terminate();
    fail?.(reason);
  }
}

function toAppError(reply: Extract<ThreadReply, { kind: "failed" }>): AppError {
  return new AppError(reply.code as AppErrorCode, reply.message, { retryable: reply.retryable });
}

function abortReason(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new AppError("canceled", "the call was cancelled");
}

function describe(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
