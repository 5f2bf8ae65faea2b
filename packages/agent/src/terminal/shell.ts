import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { IPty } from "@lydell/node-pty";
import { AppError, sleep } from "@quarry/base";
import type { Invocation } from "../sandbox/bubblewrap.ts";
import type { SandboxPolicy } from "../sandbox/sandbox-policy.ts";
import { OutputKeeper } from "./output-keeper.ts";
import { EndSign } from "./end-sign.ts";
import { findMarked, processTree, programOf } from "./processes.ts";
import { TERMINAL_COLUMNS, TERMINAL_ROWS } from "./render-terminal.ts";
import { readEnd, type ShellEnd } from "./shell-end.ts";

/** How long a command may take to end by itself when it is told to. */
const GRACE_MS = 2_000;
/** How often what is left of a command is looked for; processes that start others can be ahead once or twice. */
const MAX_SWEEPS = 20;
const SWEEP_PAUSE_MS = 20;
/** Programs that only hold a command; they end with it. */
const WRAPPERS = new Set(["bwrap", "unshare"]);

/**
 * Leaves word that the command began, runs it, and leaves word of its exit code and
 * directory. $0 is the directory for that, $1 the command.
 */
const WRAPPER =
  `trap '__end=$?; { echo "$__end"; pwd -P; } >"$0/end" 2>/dev/null; exit "$__end"' EXIT; ` +
  `: >"$0/start"; __command=$1; set --; eval "$__command"`;

/**
 * The first process of a terminal: it outlives the command, because the kernel throws
 * away output that was not read yet when the first process ends. It tells the exit code
 * behind the last output, in the terminal itself, and waits to be ended. $0 is a secret of ours.
 */
const LEADER = `trap : INT QUIT; "$@"; printf '\\033]777;%s;%s\\007' "$0" "$?"; read -r __`;

/** All that starts one command. */
export interface ShellOrder {
  readonly id: number;
  readonly command: string;
  readonly cwd: string;
  readonly policy: SandboxPolicy;
  readonly environment: Readonly<Record<string, string>>;
  /** An empty directory of its own, where it leaves word of its end. */
  readonly record: string;
  readonly transcript: string;
  /** Puts it behind a sandbox, where there is one. */
  readonly wrap: ((command: Invocation & { readonly cwd: string }) => Invocation) | undefined;
  /** How every process of it is found again. */
  readonly mark: string;
}

/** The arguments that make bash run a command and keep word of it. */
export function bashOf(record: string, command: string): Invocation {
  return { program: "/bin/bash", args: ["--noprofile", "--norc", "-c", WRAPPER, record, command] };
}

/** One command in a terminal of its own, from its start until nothing of it is left. */
export class Shell {
  readonly id: number;
  readonly command: string;
  readonly cwd: string;
  readonly policy: SandboxPolicy;
  readonly startedAt = new Date();
  readonly output: OutputKeeper;
  /** How it ended; resolves when no process of it is left. Never rejects. */
  readonly ended: Promise<ShellEnd>;
  readonly #order: ShellOrder;
  readonly #pty: IPty;
  readonly #listeners = new Set<(chunk: Buffer) => void>();
  readonly #sign: EndSign;
  #lastOutputAt = performance.now();
  #end: ShellEnd | undefined;
  #isStopped = false;

  private constructor(order: ShellOrder, pty: IPty, sign: EndSign) {
    this.#order = order;
    this.#sign = sign;
    this.#pty = pty;
    this.id = order.id;
    this.command = order.command;
    this.cwd = order.cwd;
    this.policy = order.policy;
    this.output = new OutputKeeper(order.transcript);
    pty.onData((data) => this.#hear(data as unknown as Buffer)); // bytes, since no encoding is set
    this.ended = new Promise<void>((resolve) => pty.onExit(() => resolve())).then(() => this.#finish());
  }

  /** Starts a command. Throws `unavailable` when there is no terminal for it. */
  static async start(order: ShellOrder): Promise<Shell> {
    mkdirSync(order.record, { recursive: true, mode: 0o700 });
    const bash = { ...bashOf(order.record, order.command), cwd: order.cwd };
    const { program, args } = order.wrap === undefined ? bash : order.wrap(bash);
    const token = randomBytes(16).toString("hex");
    // Loaded at the first command: a server that runs none does not pay for it.
    const { spawn } = await import("@lydell/node-pty");
    try {
      const pty = spawn("/bin/sh", ["-c", LEADER, token, program, ...args], {
        name: "dumb",
        cols: TERMINAL_COLUMNS,
        rows: TERMINAL_ROWS,
        encoding: null,
        // A sandbox goes to the directory itself: it may not be there yet out here.
        cwd: order.wrap === undefined ? order.cwd : "/",
        env: { ...order.environment },
      });
      return new Shell(order, pty, new EndSign(token));
    } catch (cause) {
      throw new AppError("unavailable", "no terminal could be opened for the command", { cause, retryable: true });
    }
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** How it ended, once it has. */
  get end(): ShellEnd | undefined {
    return this.#end;
  }

  /** When it last said something, by `performance.now()`. */
  get lastOutputAt(): number {
    return this.#lastOutputAt;
  }

  /** Calls back for all further output until the returned function is called. */
  onOutput(heard: (chunk: Buffer) => void): () => void {
    this.#listeners.add(heard);
    return () => this.#listeners.delete(heard);
  }

  /** Types these characters. */
  write(chars: string): void {
    // The keys that interrupt would reach what holds the command as well, and end it before the command could react.
    const isSignal = INTERRUPTING.test(chars) && takesSignals(this.#pty);
    for (const part of isSignal ? chars.split(INTERRUPTING) : [chars]) {
      const signal = isSignal ? SIGNAL_OF[part] : undefined;
      if (signal === undefined) this.#pty.write(part);
      else this.#signal(signal);
    }
  }

  /** Ends it: first politely, then for certain. Resolves when nothing of it is left. */
  async stop(): Promise<ShellEnd> {
    if (this.#end !== undefined || this.#isStopped) return this.ended;
    this.#isStopped = true;
    this.#signal("SIGTERM");
    const polite = new AbortController();
    const isOver = await Promise.race([
      this.ended.then(() => true),
      sleep(GRACE_MS, polite.signal).then(
        () => false,
        () => true, // ended first: no more waiting
      ),
    ]);
    polite.abort();
    if (!isOver) {
      for (const { pid } of processTree(this.pid)) send(pid, "SIGKILL");
      send(-this.pid, "SIGKILL");
    }
    return this.ended;
  }

  /** To the command and all it started, not to what holds it. */
  #signal(signal: NodeJS.Signals): void {
    for (const { pid } of processTree(this.pid)) {
      if (pid !== this.pid && !WRAPPERS.has(programOf(pid))) send(pid, signal);
    }
  }

  #hear(data: Buffer): void {
    const chunk = this.#sign.take(data);
    if (chunk.length > 0) {
      this.#lastOutputAt = performance.now();
      this.output.add(chunk);
      for (const heard of this.#listeners) heard(chunk);
    }
    // All was said and heard: what is left in the terminal ends with its first process.
    if (this.#sign.exitCode !== undefined) send(this.pid, "SIGKILL");
  }

  async #finish(): Promise<ShellEnd> {
    await sweep(this.#order.mark);
    await this.output.close();
    const record = { start: readRecord(this.#order.record, "start"), end: readRecord(this.#order.record, "end") };
    this.#end = readEnd(this.#sign.exitCode, record, { isStopped: this.#isStopped });
    return this.#end;
  }
}

/** Ends whatever a command left running, also what made itself independent of it. */
async function sweep(mark: string): Promise<void> {
  for (let round = 0; round < MAX_SWEEPS; round += 1) {
    const left = findMarked(mark);
    if (left.length === 0) return;
    for (const pid of left) send(pid, "SIGKILL");
    await sleep(SWEEP_PAUSE_MS);
  }
}

/** The keys Ctrl-C, Ctrl-\\ and Ctrl-Z. */
const SIGNAL_OF: Readonly<Partial<Record<string, NodeJS.Signals>>> = {
  "\u0003": "SIGINT",
  "\u001c": "SIGQUIT",
  "\u001a": "SIGTSTP",
};
const INTERRUPTING = /([\u0003\u001c\u001a])/;

/** Whether the terminal makes signals of such keys; a program that reads them itself has turned that off. */
function takesSignals(pty: IPty): boolean {
  const { ptsName } = pty as unknown as { readonly ptsName: string }; // there, though its types do not say so
  const { stdout } = spawnSync("stty", ["-F", ptsName, "-a"], { encoding: "utf8" });
  return !stdout.includes("-isig");
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it ended by itself meanwhile, which is what was wanted
  }
}

function readRecord(directory: string, name: string): string | undefined {
  try {
    return readFileSync(path.join(directory, name), "utf8");
  } catch {
    return undefined; // it was not written: the caller concludes from that
  }
}
