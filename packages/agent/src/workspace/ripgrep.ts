import { spawn } from "node:child_process";
import { AppError } from "@quarry/base";
import { rgPath } from "@vscode/ripgrep";
import { requireStarted } from "../require-started.ts";

/** The program itself, as npm brought it. */
export const ripgrepProgram = rgPath;

/** How many searches run at once; more wait for their turn. */
export const MAX_AT_ONCE = 5;
/** How long one search may take. */
const TIMEOUT_MS = 30_000;
/** How much ripgrep may say of what went wrong. */
const MAX_ERROR_CHARACTERS = 4_000;

/** How a search ended; `hasMatch` is false when nothing was found, which is no error. */
export interface RipgrepEnd {
  readonly hasMatch: boolean;
  /** Set when the reader had enough before the end. */
  readonly isCut: boolean;
  /** What ripgrep warned of, such as a file it could not read. */
  readonly warnings: string;
}

/** Runs ripgrep: one call of `onLine` per line of its output until it returns false. */
export type Ripgrep = (
  options: { readonly cwd: string; readonly args: readonly string[] },
  onLine: (line: string) => boolean,
  signal: AbortSignal,
) => Promise<RipgrepEnd>;

/**
 * Makes a runner that lets five searches run at once. It rejects with
 * `invalid_request` and ripgrep's own words for a pattern it cannot use, `timeout` for
 * a search that took too long, and when `signal` aborts.
 */
export function createRipgrep(options: { readonly program?: string; readonly timeoutMs?: number } = {}): Ripgrep {
  const { program = rgPath, timeoutMs = TIMEOUT_MS } = options;
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (asked, onLine, signal) => {
    if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      signal.throwIfAborted();
      return await search({ ...asked, program, timeoutMs }, onLine, signal);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next(); // the place passes on without becoming free
    }
  };
}

async function search(
  asked: {
    readonly cwd: string;
    readonly args: readonly string[];
    readonly program: string;
    readonly timeoutMs: number;
  },
  onLine: (line: string) => boolean,
  signal: AbortSignal,
): Promise<RipgrepEnd> {
  const limit = AbortSignal.timeout(asked.timeoutMs);
  const child = requireStarted(
    spawn(asked.program, ["--no-config", ...asked.args], {
      cwd: asked.cwd,
      stdio: ["ignore", "pipe", "pipe"],
      signal: AbortSignal.any([signal, limit]),
      killSignal: "SIGKILL",
    }),
  );
  let warnings = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (warnings.length < MAX_ERROR_CHARACTERS) warnings += text;
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  ended.catch(() => undefined); // awaited below, once the output was read
  const reading: { isCut: boolean; readonly errors: unknown[] } = { isCut: false, errors: [] };
  const take = (line: string): void => {
    if (reading.isCut || reading.errors.length > 0) return;
    try {
      if (onLine(line)) return;
      reading.isCut = true;
    } catch (error) {
      reading.errors.push(error); // rejected with below, once the process is gone
    }
    child.kill("SIGKILL");
  };
  // Read by hand: a stream of lines costs more than the search itself when there are many.
  let rest: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = text.split("\n");
    if (lines.length === 1) {
      rest.push(text); // put together once: a line may be as long as its file
      return;
    }
    lines[0] = `${rest.join("")}${lines[0] ?? ""}`;
    rest = [lines.pop() ?? ""];
    for (const line of lines) take(line);
  });
  const code = await ended.catch((error: unknown) => {
    signal.throwIfAborted();
    if (limit.aborted) {
      const advice = "name a narrower path, a glob or a type";
      throw new AppError("timeout", `the search took longer than ${asked.timeoutMs / 1_000} s; ${advice}`);
    }
    throw new AppError("unavailable", "ripgrep could not be started", { cause: error });
  });
  const last = rest.join("");
  if (last !== "") take(last);
  if (reading.errors.length > 0) throw reading.errors[0];
  const { isCut } = reading;
  if (!isCut && code === 2 && warnings !== "" && !isPartial(warnings)) {
    throw new AppError("invalid_request", warnings.trim().replace(/^rg: /, ""));
  }
  return { hasMatch: isCut || code === 0, isCut, warnings: warnings.trim() };
}

/** Whether ripgrep only complains of single files. */
function isPartial(warnings: string): boolean {
  return warnings.split("\n").every((line) => line === "" || /(os error \d+|IO error)/.test(line));
}
