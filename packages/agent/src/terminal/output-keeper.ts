import { createWriteStream, mkdirSync, type WriteStream } from "node:fs";
import path from "node:path";
import { storageFaultOf } from "@quarry/base";

/** How much of the beginning and of the end of the output is kept for a result; the end matters most. */
export const HEAD_BYTES = 20_000;
export const TAIL_BYTES = 40_000;
/** How long a transcript may get; what comes after is counted and not kept. */
export const MAX_TRANSCRIPT_BYTES = 64 * 1024 * 1024;

/** What was kept of some output. */
export interface KeptOutput {
  readonly head: Buffer;
  /** What came last and is not in the head; what came between the two is in the transcript alone. */
  readonly tail: Buffer;
  readonly skippedBytes: number;
  readonly totalBytes: number;
  readonly lines: number;
}

/** Keeps a command's output: its beginning and end in memory, all of it in a transcript file. */
export class OutputKeeper {
  readonly path: string;
  readonly #file: WriteStream;
  #head = Buffer.alloc(0);
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #total = 0;
  #written = 0;
  #lines = 0;
  #endsLine = true;
  #error: Error | undefined;

  constructor(file: string) {
    this.path = file;
    try {
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    } catch (error) {
      // The command runs already. The stream meets the same fault, or finds no directory.
      if (storageFaultOf(error) === undefined) throw error;
    }
    this.#file = createWriteStream(file, { flags: "a", mode: 0o600 });
    // A full disk must not end the command; the result says that the transcript is not whole.
    this.#file.on("error", (error) => (this.#error = error));
  }

  /** Bytes of the output so far. */
  get totalBytes(): number {
    return this.#total;
  }

  /** Bytes of the transcript file so far. */
  get transcriptBytes(): number {
    return this.#written;
  }

  /** Why the transcript is not whole; undefined when it is. */
  get transcriptProblem(): string | undefined {
    if (this.#error !== undefined) return "the transcript could not be written";
    return this.#written < this.#total ? `the transcript ends after ${MAX_TRANSCRIPT_BYTES} bytes` : undefined;
  }

  /** Takes more output. */
  add(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#total += chunk.length;
    this.#endsLine = chunk[chunk.length - 1] === LINE_END;
    for (const byte of chunk) if (byte === LINE_END) this.#lines += 1;
    const room = Math.min(chunk.length, MAX_TRANSCRIPT_BYTES - this.#written);
    if (room > 0 && this.#error === undefined) {
      this.#file.write(chunk.subarray(0, room));
      this.#written += room;
    }
    const missing = HEAD_BYTES - this.#head.length;
    if (missing > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, missing)]);
    const rest = chunk.subarray(Math.max(0, missing));
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    while (this.#tailBytes - (this.#tail[0]?.length ?? 0) >= TAIL_BYTES)
      this.#tailBytes -= this.#tail.shift()?.length ?? 0;
  }

  /** What is kept now. */
  kept(): KeptOutput {
    const all = Buffer.concat(this.#tail);
    const tail = all.subarray(Math.max(0, all.length - TAIL_BYTES));
    return {
      head: this.#head,
      tail,
      skippedBytes: this.#total - this.#head.length - tail.length,
      totalBytes: this.#total,
      lines: this.#lines + (this.#endsLine ? 0 : 1),
    };
  }

  /** Ends the transcript; resolves when it is on disk. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#file.closed || this.#file.destroyed) resolve();
      else this.#file.once("close", resolve).end();
    });
  }
}

const LINE_END = 10;
