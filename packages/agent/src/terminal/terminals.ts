import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { AppError, makeId, storageFaultOf } from "@quarry/base";
import { confine } from "../sandbox/confinement.ts";
import { chooseSandbox, type Sandbox } from "../sandbox/sandbox.ts";
import { OPEN_CEILING, type SandboxCeiling, type SandboxPolicy } from "../sandbox/sandbox-policy.ts";
import type { Ripgrep } from "../workspace/ripgrep.ts";
import { commandEnvironment } from "./command-environment.ts";
import { findOrphans, startOf } from "./processes.ts";
import { Shell } from "./shell.ts";
import { transcriptOf, type TerminalState } from "./transcript.ts";

/** How many shells may run in the background at once, on one machine. */
export const MAX_BACKGROUND_SHELLS = 64;
/** How many ended shells are remembered, to tell their exit codes. */
const MAX_ENDED = 256;
const OWNER = "QUARRY_SHELL_OWNER";
const SHELL = "QUARRY_SHELL";

/** What the terminals of a machine are made of. */
export interface TerminalsOptions {
  /** Where transcripts and temporary directories lie, outside of every workspace. */
  readonly directory: string;
  readonly ripgrep: Ripgrep;
  /** What of this process's environment commands may know a part of: where programs are, and the language. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Directories no command may look into, such as the server's own data. */
  readonly hiddenDirectories?: readonly string[];
  readonly home?: string;
  readonly ceiling?: SandboxCeiling;
  /** Found out at the first need unless given. */
  readonly sandbox?: Sandbox;
  readonly maxBackground?: number;
}

/** A command to start in a session. */
export interface CommandOrder {
  readonly sessionId: string;
  readonly roots: readonly string[];
  /** Where it may write, when that is less than the roots. */
  readonly writeDirectories?: readonly string[] | undefined;
  readonly command: string;
  readonly cwd: string;
  readonly policy: SandboxPolicy;
}

/** One terminal of a session: commands in it share a directory. */
interface TerminalSession {
  number: number;
  cwd: string | undefined;
  state: TerminalState;
}

/** The terminals of a machine: sessions with their directories, the shells that run, and what they leave behind. */
export class Terminals {
  readonly ceiling: SandboxCeiling;
  readonly #options: TerminalsOptions;
  readonly #sessions = new Map<string, TerminalSession>();
  readonly #shells = new Map<number, { readonly sessionId: string; readonly shell: Shell; isBackground: boolean }>();
  #sandbox: Promise<Sandbox> | undefined;
  #lastId = 0;
  #isSwept = false;
  #isClosed = false;

  constructor(options: TerminalsOptions) {
    this.#options = options;
    this.ceiling = options.ceiling ?? OPEN_CEILING;
  }

  /** What this machine can confine commands with; looked at once, and again where a full disk, say, kept it from looking. */
  sandbox(): Promise<Sandbox> {
    if (this.#sandbox === undefined) {
      const looking = this.#options.sandbox === undefined ? chooseSandbox() : Promise.resolve(this.#options.sandbox);
      this.#sandbox = looking;
      looking.catch(() => (this.#sandbox = undefined)); // told to whoever waits for it
    }
    return this.#sandbox;
  }

  /** The directory a session's next command starts in. */
  cwdOf(sessionId: string, root: string): string {
    return this.#sessions.get(sessionId)?.cwd ?? root;
  }

  /** The session's terminal: its number and transcript. With `isNew` it gets another, in the workspace's own directory. */
  terminalOf(
    sessionId: string,
    options: { readonly isNew?: boolean } = {},
  ): { readonly number: number; readonly path: string } {
    const known = this.#sessions.get(sessionId);
    if (known === undefined || options.isNew === true) {
      const number = (known?.number ?? 0) + 1;
      this.#sessions.set(sessionId, { number, cwd: undefined, state: { cwd: "", commands: [], text: "" } });
      return { number, path: this.#transcriptPath(sessionId, number) };
    }
    return { number: known.number, path: this.#transcriptPath(sessionId, known.number) };
  }

  /** Where all that a session's commands said is kept. */
  transcriptsOf(sessionId: string): string {
    return path.join(this.#directoryOf(sessionId), "transcripts");
  }

  /**
   * Writes down what a session's terminal shows now. Says why that could not be: a command that runs, or has run, does not
   * fail because its terminal cannot be shown.
   */
  record(sessionId: string, terminal: number, state: TerminalState): string | undefined {
    const known = this.#sessions.get(sessionId);
    const earlier =
      known?.number === terminal ? known.state.commands.filter((each) => each.id !== state.commands[0]?.id) : [];
    const whole = { ...state, commands: [...earlier, ...state.commands].slice(-MAX_SHOWN_COMMANDS) };
    if (known?.number === terminal) known.state = whole;
    const file = this.#transcriptPath(sessionId, terminal);
    try {
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, transcriptOf(whole), { mode: 0o600 });
      return undefined;
    } catch (error) {
      if (storageFaultOf(error) === undefined) throw error;
      return `The terminal's file is out of date: ${AppError.from(error).message}`;
    }
  }

  /** The session stays in this directory from now on. */
  moveTo(sessionId: string, terminal: number, cwd: string): void {
    const known = this.#sessions.get(sessionId);
    if (known?.number === terminal) known.cwd = cwd;
  }

  /** Starts a command, confined as its policy says. Throws when it cannot be. */
  async start(order: CommandOrder, signal: AbortSignal): Promise<Shell> {
    if (this.#isClosed) throw new AppError("unavailable", "the terminals of this machine are closed");
    this.#endOrphans();
    const id = (this.#lastId += 1);
    const directory = this.#directoryOf(order.sessionId);
    const places = {
      tmp: path.join(directory, "tmp"),
      record: path.join(directory, "records", String(id)),
      transcripts: path.join(directory, "transcripts"),
    };
    for (const each of Object.values(places)) mkdirSync(each, { recursive: true, mode: 0o700 });
    const sandbox = await this.sandbox();
    const isConfined = order.policy.type !== "none";
    if (isConfined && sandbox.kind === "none")
      throw new AppError("unavailable", `there is no sandbox here: ${sandbox.why}`);
    const mark = makeId("shell");
    const home = this.#options.home ?? homedir();
    const wrap =
      isConfined && sandbox.kind !== "none"
        ? await this.#confine(sandbox, { ...order, ...places, home }, signal)
        : undefined;
    // A sandbox that can mount shows the temporary directory as /tmp.
    const isMounted = wrap !== undefined && sandbox.kind !== "none" && sandbox.lacks === undefined;
    const shell = await Shell.start({
      id,
      command: order.command,
      cwd: order.cwd,
      policy: order.policy,
      environment: {
        ...commandEnvironment({
          environment: this.#options.environment ?? {},
          home,
          tmp: isMounted ? "/tmp" : places.tmp,
          mark: [SHELL, mark],
        }),
        [OWNER]: `${process.pid}:${startOf(process.pid) ?? ""}`,
      },
      record: places.record,
      transcript: path.join(places.transcripts, `shell-${id}.txt`),
      wrap,
      mark: `${SHELL}=${mark}`,
    });
    this.#shells.set(id, { sessionId: order.sessionId, shell, isBackground: false });
    void shell.ended.then(() => this.#forget());
    return shell;
  }

  /** Lets a shell go on in the background; false when there are too many already. */
  keep(shell: Shell): boolean {
    const known = this.#shells.get(shell.id);
    if (known === undefined || !this.hasRoom()) return false;
    known.isBackground = true;
    return true;
  }

  /** Whether one more shell may run in the background. */
  hasRoom(): boolean {
    const running = [...this.#shells.values()].filter(
      ({ shell, isBackground }) => isBackground && shell.end === undefined,
    );
    return running.length < (this.#options.maxBackground ?? MAX_BACKGROUND_SHELLS);
  }

  /** A session's background shells, oldest first, ended ones as long as they are remembered. */
  list(sessionId: string): readonly Shell[] {
    return [...this.#shells.values()]
      .filter((each) => each.sessionId === sessionId && each.isBackground)
      .map(({ shell }) => shell);
  }

  /** Ends a session's shells and forgets it; its transcripts go with it. */
  async closeSession(sessionId: string): Promise<void> {
    const own = [...this.#shells].filter(([, each]) => each.sessionId === sessionId);
    await Promise.all(own.map(([, { shell }]) => shell.stop()));
    for (const [id] of own) this.#shells.delete(id);
    this.#sessions.delete(sessionId);
    await rm(this.#directoryOf(sessionId), { recursive: true, force: true });
  }

  /** Ends every shell. Transcripts stay, temporary directories go. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#shells.values()];
    await Promise.all(all.map(({ shell }) => shell.stop()));
    const directories = [...new Set(all.map(({ sessionId }) => this.#directoryOf(sessionId)))];
    for (const each of directories.flatMap((at) => [path.join(at, "tmp"), path.join(at, "records")])) {
      await rm(each, { recursive: true, force: true });
    }
  }

  async #confine(
    sandbox: Exclude<Sandbox, { readonly kind: "none" }>,
    of: CommandOrder & {
      readonly tmp: string;
      readonly record: string;
      readonly transcripts: string;
      readonly home: string;
    },
    signal: AbortSignal,
  ): Promise<NonNullable<Parameters<typeof Shell.start>[0]["wrap"]>> {
    const { ripgrep, hiddenDirectories = [] } = this.#options;
    const confinement = await confine({ ripgrep, hiddenDirectories, home: of.home }, of, signal);
    return (command) => sandbox.wrap(confinement, command);
  }

  /** What shells of a server left that was killed is ended when the next one starts its first. */
  #endOrphans(): void {
    if (this.#isSwept) return;
    this.#isSwept = true;
    for (const pid of findOrphans(OWNER)) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // it ended by itself meanwhile
      }
    }
  }

  /** The oldest ended shells are forgotten; foreground ones at once. */
  #forget(): void {
    const ended = [...this.#shells].filter(([, { shell }]) => shell.end !== undefined);
    const old = ended.filter(([, { isBackground }], index) => !isBackground || index < ended.length - MAX_ENDED);
    for (const [id] of old) this.#shells.delete(id);
  }

  #directoryOf(sessionId: string): string {
    return path.join(this.#options.directory, createHash("sha256").update(sessionId).digest("hex").slice(0, 24));
  }

  #transcriptPath(sessionId: string, number: number): string {
    return path.join(this.transcriptsOf(sessionId), `terminal-${number}.txt`);
  }
}

const MAX_SHOWN_COMMANDS = 5;
