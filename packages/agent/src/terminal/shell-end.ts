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

/** Concludes from the exit code that the terminal told, and from the word that the shell left. */
export function readEnd(
  told: number | undefined,
  record: { readonly start: string | undefined; readonly end: string | undefined },
  of: { readonly isStopped: boolean },
): ShellEnd {
  if (of.isStopped) return { kind: "stopped", exitCode: told === undefined || told === 0 ? ENDED_BY_US : told };
  if (record.start === undefined) return { kind: "failed" };
  if (told === undefined) return { kind: "unknown" };
  const [code, ...rest] = record.end?.trimEnd().split("\n") ?? [];
  const isWhole = code !== undefined && Number(code) === told && rest.length > 0;
  return { kind: "exited", exitCode: told, cwd: isWhole ? rest.join("\n") : undefined };
}

const ENDED_BY_US = 128 + constants.signals.SIGTERM;
