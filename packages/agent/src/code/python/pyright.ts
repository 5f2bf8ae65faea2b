import { spawn, type ChildProcess } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL, fileURLToPath } from "node:url";
import { AppError } from "@quarry/base";
import type { MessageConnection } from "vscode-jsonrpc";
import type { LintProblem, LintSeverity } from "../../workspace/lint-problem.ts";
import type { ScannedFile } from "../scanned-file.ts";
import { requireStarted } from "../../require-started.ts";

/** A place in a file; lines and columns count from 1. */
export interface PythonPlace {
  readonly absolute: string;
  readonly line: number;
  readonly column: number;
}

/** Pyright's language server for one directory. */
export interface Pyright {
  /** Where the names at these places are defined. */
  readonly definitions: (
    file: { readonly absolute: string; readonly text: string },
    places: readonly { readonly line: number; readonly column: number }[],
    signal: AbortSignal,
  ) => Promise<readonly PythonPlace[]>;
  /** The problems of a file with this text, never of an earlier one. */
  readonly problems: (
    file: { readonly absolute: string; readonly text: string },
    signal: AbortSignal,
  ) => Promise<readonly LintProblem[]>;
  /** Tells it which files are there now. */
  readonly follow: (files: readonly ScannedFile[]) => Promise<void>;
  readonly close: () => Promise<void>;
  /** Settles when the server has ended, for whatever reason. */
  readonly ended: Promise<void>;
}

interface Position {
  readonly line: number;
  readonly character: number;
}
interface Range {
  readonly start: Position;
  readonly end: Position;
}
interface Diagnostic {
  readonly range: Range;
  readonly message: string;
  readonly severity?: number;
  readonly code?: string | number;
}
type Location =
  | { readonly uri: string; readonly range: Range }
  | { readonly targetUri: string; readonly targetSelectionRange: Range };

/** The first answer takes seconds: it reads the standard library. */
const ANSWER_TIMEOUT_MS = 60_000;
const MAX_MEGABYTES = 1_024;
/** How long a server may take to end when it is told to. */
const END_MS = 2_000;
const SEVERITIES: readonly LintSeverity[] = ["error", "error", "warning", "info", "hint"];
/** As the protocol numbers them. */
const CREATED = 1;
const CHANGED = 2;
const DELETED = 3;

/** Starts pyright on a directory. It ends with this process: its input closes, and it watches our process id. */
export async function startPyright(root: string): Promise<Pyright> {
  const { createMessageConnection, StreamMessageReader, StreamMessageWriter } = await import("vscode-jsonrpc/node.js");
  const program = createRequire(import.meta.url).resolve("pyright/langserver.index.js");
  const child = requireStarted(
    spawn(process.execPath, [`--max-old-space-size=${MAX_MEGABYTES}`, program, "--stdio"], {
      cwd: root,
      stdio: ["pipe", "pipe", "ignore"],
    }),
  );
  const ended = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const published = new Published();
  connection.onNotification("textDocument/publishDiagnostics", (sent: PublishedDiagnostics) => published.put(sent));
  connection.onRequest("workspace/configuration", ({ items }: { readonly items: readonly unknown[] }) =>
    items.map(() => SETTINGS),
  );
  connection.onRequest("client/registerCapability", () => null);
  connection.onRequest("client/unregisterCapability", () => null);
  connection.onRequest("window/workDoneProgress/create", () => null);
  connection.onError(() => undefined); // the process ends then, and whoever waits is told so
  connection.listen();
  const talk = new Talk(connection, ended);
  await talk.ask("initialize", initialization(root), AbortSignal.timeout(ANSWER_TIMEOUT_MS));
  await connection.sendNotification("initialized", {});
  let lastVersion = 0;
  let known = new Map<string, ScannedFile>();

  /**
   * Shows the server a text for one question. Every question has a version of its own, so that no old answer can pass
   * for it; a file that stayed open would hide what becomes of it on the disk.
   */
  const show = async <T>(
    file: { readonly absolute: string; readonly text: string },
    work: (uri: string, version: number) => Promise<T>,
  ): Promise<T> => {
    const uri = pathToFileURL(file.absolute).href;
    const version = (lastVersion += 1);
    const textDocument = { uri, languageId: "python", version, text: file.text };
    await connection.sendNotification("textDocument/didOpen", { textDocument });
    try {
      return await work(uri, version);
    } finally {
      await connection.sendNotification("textDocument/didClose", { textDocument: { uri } }).catch(() => undefined); // it ended
    }
  };

  return {
    ended,
    definitions: (file, places, signal) =>
      show(file, async (uri) => {
        const found: PythonPlace[] = [];
        for (const { line, column } of places) {
          const asked = { textDocument: { uri }, position: { line: line - 1, character: column - 1 } };
          const answer = (await talk.ask("textDocument/definition", asked, signal)) as Location | Location[] | null;
          found.push(...[answer ?? []].flat().map(toPlace));
        }
        return found;
      }),
    problems: (file, signal) =>
      show(file, async (uri, version) => {
        const diagnostics = await talk.wait(published.of(uri, version), signal);
        return diagnostics.map((diagnostic) => toProblem(file.absolute, diagnostic));
      }),
    follow: async (files) => {
      const python = files.filter(({ relative }) =>
        /\.pyi?$|(^|\/)(pyrightconfig\.json|pyproject\.toml)$/.test(relative),
      );
      const now = new Map(python.map((file) => [file.relative, file]));
      const isFirst = known.size === 0;
      const changes = isFirst ? [] : changesBetween(known, now);
      known = now;
      if (changes.length === 0) return;
      const uriOf = (relative: string): string =>
        `${pathToFileURL(root).href}/${relative.split("/").map(encodeURIComponent).join("/")}`;
      await connection.sendNotification("workspace/didChangeWatchedFiles", {
        changes: changes.map(([relative, type]) => ({ uri: uriOf(relative), type })),
      });
    },
    close: () => end(child, connection, ended),
  };
}

const SETTINGS = { analysis: { autoSearchPaths: true, diagnosticMode: "openFilesOnly", useLibraryCodeForTypes: true } };

function initialization(root: string): object {
  const uri = pathToFileURL(root).href;
  return {
    processId: process.pid,
    rootUri: uri,
    workspaceFolders: [{ uri, name: "workspace" }],
    capabilities: {
      workspace: { configuration: true, workspaceFolders: true, didChangeWatchedFiles: { dynamicRegistration: true } },
      textDocument: { publishDiagnostics: { versionSupport: true }, definition: { linkSupport: false } },
    },
  };
}

interface PublishedDiagnostics {
  readonly uri: string;
  readonly version?: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** What the server said of which version of a file. */
class Published {
  readonly #waiting = new Map<string, (diagnostics: readonly Diagnostic[]) => void>();

  put({ uri, version, diagnostics }: PublishedDiagnostics): void {
    const key = `${version ?? ""} ${uri}`;
    this.#waiting.get(key)?.(diagnostics);
    this.#waiting.delete(key);
  }

  of(uri: string, version: number): Promise<readonly Diagnostic[]> {
    return new Promise((resolve) => this.#waiting.set(`${version} ${uri}`, resolve));
  }
}

/** Waits that end with the server, the caller or the clock. */
class Talk {
  readonly #connection: MessageConnection;
  readonly #gone: Promise<never>;

  constructor(connection: MessageConnection, ended: Promise<void>) {
    this.#connection = connection;
    this.#gone = ended.then(() => {
      throw new AppError("unavailable", "the Python language server ended", { retryable: true });
    });
    this.#gone.catch(() => undefined); // told to whoever waits
  }

  ask(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    return this.wait(this.#connection.sendRequest(method, params), signal);
  }

  async wait<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    answer.catch(() => undefined); // a wait that ended earlier takes no notice
    let leave = (): void => undefined;
    const left = new Promise<never>((_, reject) => {
      const late = new AppError(
        "timeout",
        `the Python language server took longer than ${ANSWER_TIMEOUT_MS / 1_000} s`,
      );
      const timer = setTimeout(() => reject(late), ANSWER_TIMEOUT_MS);
      const onAbort = (): void => reject(signal.reason as Error);
      signal.addEventListener("abort", onAbort, { once: true });
      leave = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      };
    });
    try {
      return await Promise.race([answer, left, this.#gone]);
    } finally {
      leave();
    }
  }
}

function changesBetween(
  before: ReadonlyMap<string, ScannedFile>,
  now: ReadonlyMap<string, ScannedFile>,
): readonly (readonly [relative: string, type: number])[] {
  type Change = readonly [relative: string, type: number];
  const gone = [...before.keys()]
    .filter((relative) => !now.has(relative))
    .map((relative): Change => [relative, DELETED]);
  const others = [...now.values()].flatMap((file): readonly Change[] => {
    const known = before.get(file.relative);
    if (known === undefined) return [[file.relative, CREATED]];
    return known.mtimeMs === file.mtimeMs && known.size === file.size ? [] : [[file.relative, CHANGED]];
  });
  return [...gone, ...others];
}

function toPlace(location: Location): PythonPlace {
  const [uri, range] =
    "uri" in location ? [location.uri, location.range] : [location.targetUri, location.targetSelectionRange];
  return { absolute: fileURLToPath(uri), line: range.start.line + 1, column: range.start.character + 1 };
}

function toProblem(absolute: string, { range, message, severity = 1, code }: Diagnostic): LintProblem {
  return {
    absolute,
    startLine: range.start.line + 1,
    startColumn: range.start.character + 1,
    endLine: range.end.line + 1,
    endColumn: range.end.character + 1,
    message,
    source: "pyright",
    severity: SEVERITIES[severity] ?? "error",
    ...(code === undefined ? {} : { code: String(code) }),
  };
}

async function end(child: ChildProcess, connection: MessageConnection, ended: Promise<void>): Promise<void> {
  connection.dispose();
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
  await ended;
  clearTimeout(timer);
}
