import { constants } from "node:os";

/** How a command ended, as far as that can be known. */
export type ShellEnd =
  | {
      readonly kind: "exited";
      /** 128 + n for signal n. */
      readonly exitCode: number;
      /** The directory it ended in; undefined when it did not get to say. */
      readonly cwd: string | undefined;
    }
  /** We ended it. */
  | { readonly kind: "stopped"; readonly exitCode: number }
  /** It never began: what holds it could not start it. */
  | { readonly kind: "failed" }
  /** What held it was ended by someone else, so nobody saw how the command did. */
  | { readonly kind: "unknown" };

/** Concludes from what the terminal saw and from the word that the shell left. */
export function readEnd(
  exit: { readonly exitCode: number; readonly signal?: number | undefined },
  record: { readonly start: string | undefined; readonly end: string | undefined },
  of: {
    /** Whether another program held it, whose own end by a signal says nothing about the command's. */
    readonly isHeld: boolean;
    readonly isStopped: boolean;
  },
): ShellEnd {
  const signal = exit.signal ?? 0;
  const exitCode = signal > 0 ? 128 + signal : exit.exitCode;
  if (of.isStopped) return { kind: "stopped", exitCode: exitCode === 0 ? 128 + constants.signals.SIGTERM : exitCode };
  if (record.start === undefined) return { kind: "failed" };
  if (signal > 0 && of.isHeld) return { kind: "unknown" };
  const [code, ...rest] = record.end?.trimEnd().split("\n") ?? [];
  const isWhole = code !== undefined && Number(code) === exitCode && rest.length > 0;
  return { kind: "exited", exitCode, cwd: isWhole ? rest.join("\n") : undefined };
}
