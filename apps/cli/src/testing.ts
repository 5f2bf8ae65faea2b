import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { loadConfig } from "@quarry/config";
import { onTestFinished } from "vitest";
import type { CliContext } from "./cli-context.ts";
import { runCli } from "./run-cli.ts";

/** What a command did: its exit code and what it wrote. */
export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The smallest world a command runs in: an empty data directory and no terminal. */
export interface CliWorld {
  readonly dataDirectory: string;
  readonly context: CliContext;
  readonly run: (...args: readonly string[]) => Promise<CliResult>;
}

/** What a test changes about its world. */
export interface CliWorldOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly terminal?: boolean;
  readonly signal?: AbortSignal;
  readonly serverEntry?: string;
  /** What the person types, line by line; without it there is no terminal to ask at. */
  readonly lines?: readonly string[];
}

/** A server program that pretends; see its file. */
export const fakeServerEntry = fileURLToPath(new URL("../fixtures/fake-server.mjs", import.meta.url));

/** Makes a world that is removed when the test ends. */
export function cliWorld(options: CliWorldOptions = {}): CliWorld {
  const cwd = temporaryDirectory();
  const dataDirectory = path.join(cwd, "data");
  const environment = { PATH: process.env["PATH"] ?? "", QUARRY_DATA_DIR: dataDirectory, ...options.env };
  const terminal = options.terminal === true;
  const lines = [...(options.lines ?? [])];
  const outputOf = ({ stream }: TextSink) => ({ stream, isTerminal: terminal, hasColors: terminal });
  const context: CliContext = {
    version: "0.1.0",
    environment,
    cwd,
    readConfig: () => loadConfig({ env: environment, cwd, readFile: refuseToRead }),
    stdout: outputOf(textSink()),
    stderr: outputOf(textSink()),
    stdinIsTerminal: options.lines !== undefined,
    readLine: () => Promise.resolve(lines.shift() ?? ""),
    serverEntry: options.serverEntry ?? fakeServerEntry,
    signal: options.signal ?? new AbortController().signal,
  };
  const run = async (...args: readonly string[]): Promise<CliResult> => {
    const [stdout, stderr] = [textSink(), textSink()];
    const code = await runCli({ ...context, stdout: outputOf(stdout), stderr: outputOf(stderr) }, args);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  };
  return { dataDirectory, context, run };
}

/** A directory that goes when the test ends. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-cli-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A request as the API saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

/** What the API answers. */
export interface ApiAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Serves an API on loopback; `/healthz` and `/readyz` answer by themselves. Closed when the test ends. */
export async function serveApi(
  answer: (request: SeenRequest) => ApiAnswer | ((response: http.ServerResponse) => void),
): Promise<{ readonly url: string; readonly seen: readonly SeenRequest[] }> {
  const seen: SeenRequest[] = [];
  const server = http.createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const text = Buffer.concat(parts).toString("utf8");
      const { method = "", url = "" } = request;
      if (url === "/healthz" || url === "/readyz") {
        response.end("{}");
        return;
      }
      const { authorization } = request.headers;
      const record = { method, url, authorization, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
      seen.push(record);
      const reply = answer(record);
      if (typeof reply === "function") {
        reply(response);
        return;
      }
      response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers });
      response.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}`, seen };
}

/** Writes the file by which a data directory's server is found; by default its process is ours and nobody answers. */
export function announceServer(dataDirectory: string, change: Readonly<Record<string, unknown>>): void {
  const content = {
    url: "http://127.0.0.1:1",
    pid: process.pid,
    key: "local-key",
    version: "0.1.0",
    startedAt: "2030-01-01T00:00:00.000Z",
    ...change,
  };
  mkdirSync(dataDirectory, { recursive: true });
  writeFileSync(path.join(dataDirectory, "server.json"), JSON.stringify(content));
}

function refuseToRead(): string {
  throw Object.assign(new Error("no such file"), { code: "ENOENT" });
}

interface TextSink {
  readonly stream: Writable;
  readonly text: () => string;
}

function textSink(): TextSink {
  let text = "";
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString("utf8");
      done();
    },
  });
  return { stream, text: () => text };
}
