import { StringDecoder } from "node:string_decoder";
import { sleep } from "@quarry/base";
import type { ToolOutput } from "../tool.ts";
import { listeningPorts, processTree, waitsForInput } from "./processes.ts";
import type { Shell } from "./shell.ts";

/** How long a command is waited for, and how closely it is looked at. */
export interface WatchLimits {
  /** The call as a whole, and the command alone: past one of them it is ended. */
  readonly callMs: number | undefined;
  readonly commandMs: number | undefined;
  /** Past this, or after so long without output, it goes on in the background. */
  readonly foregroundMs: number;
  readonly idleMs: number;
  /** How often the command's processes and its silence are looked at. */
  readonly lookEveryMs: number;
  /** How long output gathers before it is told. */
  readonly settleMs: number;
  readonly noticesPrompts: boolean;
  /** How long it must be silent before it counts as waiting for someone to type. */
  readonly promptQuietMs: number;
  /** How often it is checked whether it serves something now, which is all the end that a server has. */
  readonly finishChecks: number;
  readonly finishCheckEveryMs: number;
}

/** Why watching ended. */
export type WatchEnd =
  | { readonly kind: "ended" }
  | { readonly kind: "aborted" }
  | { readonly kind: "timed-out"; readonly limitMs: number }
  | { readonly kind: "idle" }
  | { readonly kind: "waits-for-input" }
  | { readonly kind: "serves"; readonly ports: readonly number[] }
  | { readonly kind: "takes-long" };

/** How much output is told while a command runs; the rest is in the transcript. */
export const MAX_TOLD_BYTES = 256 * 1024;

/** Tells a command's output as it comes, until it ends or something speaks against waiting longer. */
export async function* watchCommand(
  shell: Shell,
  limits: WatchLimits,
  context: { readonly signal: AbortSignal; readonly callStartedAt: number },
): AsyncGenerator<ToolOutput, WatchEnd> {
  const { signal } = context;
  const ear = new Ear(shell);
  const startedAt = performance.now();
  let lookedAt = startedAt;
  let checkedAt = startedAt;
  let checksLeft = limits.finishChecks;
  try {
    for (;;) {
      const isOver = shell.end !== undefined;
      const text = ear.take(isOver ? 0 : limits.settleMs);
      if (text !== "") yield { kind: "output", channel: "stdout", text };
      if (isOver) return { kind: "ended" };
      if (signal.aborted) return { kind: "aborted" };
      const now = performance.now();
      const { callMs, commandMs } = limits;
      if (callMs !== undefined && now - context.callStartedAt >= callMs) return { kind: "timed-out", limitMs: callMs };
      if (commandMs !== undefined && now - startedAt >= commandMs) return { kind: "timed-out", limitMs: commandMs };
      if (now - lookedAt >= limits.lookEveryMs) {
        lookedAt = now;
        const quietMs = now - Math.max(shell.lastOutputAt, startedAt);
        if (limits.noticesPrompts && quietMs >= limits.promptQuietMs && waitsForInput(processTree(shell.pid))) {
          return { kind: "waits-for-input" };
        }
        if (quietMs >= limits.idleMs) return { kind: "idle" };
        if (now - startedAt >= limits.foregroundMs) return { kind: "takes-long" };
        if (checksLeft > 0 && now - checkedAt >= limits.finishCheckEveryMs) {
          checkedAt = now;
          checksLeft -= 1;
          const ports = listeningPorts(processTree(shell.pid));
          if (ports.length > 0 && quietMs >= limits.finishCheckEveryMs / 2) return { kind: "serves", ports };
        }
      }
      await wake(
        shell,
        Math.min(limits.lookEveryMs, ear.hasMore ? limits.settleMs : MAX_SLEEP_MS, MAX_SLEEP_MS),
        signal,
      );
    }
  } finally {
    ear.close();
  }
}

const MAX_SLEEP_MS = 250;

/** Until the command ends or the call is called off, at most so long. */
async function wake(shell: Shell, atMostMs: number, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const pause = sleep(Math.max(1, atMostMs), AbortSignal.any([over.signal, signal])).catch(() => undefined); // woken early
  await Promise.race([pause, shell.ended]);
  over.abort();
}

/** Hears a shell and gives what it heard in whole characters. */
class Ear {
  readonly #decoder = new StringDecoder("utf8");
  readonly #stop: () => void;
  #text = "";
  #since = 0;
  #told = 0;
  #isFull = false;

  constructor(shell: Shell) {
    const { head, tail } = shell.output.kept();
    for (const chunk of [head, tail]) this.#hear(chunk);
    this.#stop = shell.onOutput((chunk) => this.#hear(chunk));
  }

  get hasMore(): boolean {
    return this.#text !== "";
  }

  /** What came, once it had time to gather. */
  take(settleMs: number): string {
    if (this.#text === "" || performance.now() - this.#since < settleMs) return "";
    const text = this.#text;
    this.#text = "";
    return text;
  }

  close(): void {
    this.#stop();
  }

  #hear(chunk: Buffer): void {
    if (chunk.length === 0 || this.#isFull) return;
    if (this.#text === "") this.#since = performance.now();
    this.#told += chunk.length;
    this.#isFull = this.#told > MAX_TOLD_BYTES;
    this.#text += this.#isFull ? "\n[more output follows; it is kept in the transcript]\n" : this.#decoder.write(chunk);
  }
}
