import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { AppError, sleep } from "@quarry/base";
import { endWithProcess, signalGroup } from "../end-with-process.ts";
import type { McpTransport } from "./mcp-config.ts";
import type { McpSdk } from "./mcp-sdk.ts";
import { requireStarted } from "../require-started.ts";

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** What of our own environment a server's program sees: enough to find programs and its home, no secret. */
const INHERITED = ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];
/** How long a server may take to end by itself, and how long after it was told to. */
const GRACE_MS = 2_000;
/** The last words of a program that are kept for the error. */
const MAX_LAST_WORDS = 2_000;

/**
 * A server's program, spoken to over its standard input and output. It leads a process group of its own, so that
 * closing ends whatever it started: first its input ends, then it is told to, then it is made to.
 */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #sdk: McpSdk;
  readonly #transport: Extract<McpTransport, { kind: "stdio" }>;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  #child: Child | undefined;
  #ended: Promise<void> = Promise.resolve();
  #lastWords = "";

  constructor(
    sdk: McpSdk,
    transport: Extract<McpTransport, { kind: "stdio" }>,
    environment: Readonly<Record<string, string | undefined>>,
  ) {
    this.#sdk = sdk;
    this.#transport = transport;
    this.#environment = environment;
  }

  /** What the program last said on its standard error. */
  get lastWords(): string {
    return this.#lastWords.trim();
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#transport;
    const inherited = INHERITED.flatMap((name) => {
      const value = this.#environment[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    const child = requireStarted(
      spawn(command, [...args], {
        cwd,
        env: { ...Object.fromEntries(inherited), ...env },
        stdio: ["pipe", "pipe", "pipe"],
        detached: process.platform !== "win32",
        windowsHide: true,
      }),
    );
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    endWithProcess(child, "group");
    const buffer = new this.#sdk.ReadBuffer();
    child.stdout.on("data", (chunk: Buffer) => {
      try {
        buffer.append(chunk);
      } catch (error) {
        this.onerror?.(toError(error)); // a message past every limit
        void this.close();
        return;
      }
      while (this.#takeMessage(buffer));
    });
    child.stderr.on("data", (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString("utf8")).slice(-MAX_LAST_WORDS);
    });
    child.stdin.on("error", (error) => this.onerror?.(error));
    child.on("error", (error) => this.onerror?.(error));
    this.#ended = new Promise((resolve) => {
      child.once("exit", () => {
        signalGroup(child, "SIGKILL"); // whatever it left behind
        resolve();
        this.onclose?.();
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child?.exitCode !== null || child.signalCode !== null) {
      return Promise.reject(new AppError("unavailable", "the server's program has ended", { retryable: true }));
    }
    return new Promise((resolve, reject) => {
      child.stdin.write(this.#sdk.serializeMessage(message), (error) => {
        if (error === null || error === undefined) resolve();
        else reject(error);
      });
    });
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    child.stdin.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await this.#endsWithin(GRACE_MS)) return;
      signalGroup(child, signal);
    }
    await this.#ended;
  }

  /** Hands on one message; false when there is none yet. */
  #takeMessage(buffer: InstanceType<McpSdk["ReadBuffer"]>): boolean {
    try {
      const message = buffer.readMessage();
      if (message === null) return false;
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(toError(error)); // a line that is no message; the next may be one
    }
    return true;
  }

  async #endsWithin(ms: number): Promise<boolean> {
    const stop = new AbortController();
    try {
      return await Promise.race([this.#ended.then(() => true), sleep(ms, stop.signal).then(() => false)]);
    } finally {
      stop.abort();
    }
  }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
