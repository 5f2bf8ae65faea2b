import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import type { ToolContext } from "../tool.ts";
import { isMissing, resolvePath, type WorkspacePath } from "../workspace/resolve-path.ts";
import { decodeText, linesOf } from "../workspace/text-file.ts";
import type { WorkspaceDeps } from "../workspace/workspace-deps.ts";
import { MAX_INDEXED_BYTES } from "./scan-workspace.ts";

/** A range of a file that is to be shown. Lines count from 1, both ends are in it; undefined means the whole file. */
export interface WantedCode {
  readonly path: string;
  readonly lines: { readonly start: number; readonly end: number } | undefined;
  readonly score: number;
  /** The lines in it where symbols begin. */
  readonly signatureLines: readonly number[];
}

/** A file that could not be shown, as `aiserver.v1.MissingFile` has it. */
export type MissingCode = JsonObject;

type Deps = Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "gitContext">;

/** The most text of whole files that one result carries; a file past it is named without its text. */
const MAX_FILE_CHARACTERS = 50_000;
const MAX_FILES_CHARACTERS = 300_000;

/** Shows ranges of files as `aiserver.v1.CodeResult`, each file once, and which are not there or too large. */
export async function showCode(
  deps: Deps,
  wanted: readonly WantedCode[],
  context: Pick<ToolContext, "session" | "signal">,
): Promise<{
  readonly codeResults: readonly JsonObject[];
  readonly allFiles: readonly JsonObject[];
  readonly missingFiles: readonly MissingCode[];
}> {
  const roots = deps.rootsOf(context.session);
  const opened = new Map<string, OpenedCode>();
  for (const { path: given } of wanted) if (!opened.has(given)) opened.set(given, await openCode(deps, roots, given));
  const codeResults = wanted.flatMap((one) => {
    const file = opened.get(one.path);
    return file?.kind === "opened" ? [toCodeResult(file, one)] : [];
  });
  const files = new Map([...opened.values()].flatMap((file) => (file.kind === "opened" ? [[file.shown, file]] : [])));
  let room = MAX_FILES_CHARACTERS;
  const allFiles: JsonObject[] = [];
  for (const { shown, text, place } of files.values()) {
    const fits = text.length <= Math.min(room, MAX_FILE_CHARACTERS);
    if (fits) room -= text.length;
    const commits = await deps.gitContext(place.absolute, context.signal);
    allFiles.push({
      relativeWorkspacePath: shown,
      contents: fits ? text : "",
      ...(commits.length === 0 ? {} : { fileGitContext: { commits: commits.map((commit) => ({ ...commit })) } }),
    });
  }
  const missingFiles = [...opened].flatMap(([given, file]) => (file.kind === "missing" ? [missing(given, file)] : []));
  return { codeResults, allFiles, missingFiles };
}

/** A file that is not shown, and why. */
export function missing(
  relativeWorkspacePath: string,
  { reason, lines }: { readonly reason: "TOO_LARGE" | "NOT_FOUND"; readonly lines?: number },
): MissingCode {
  return {
    relativeWorkspacePath,
    missingReason: `MISSING_REASON_${reason}`,
    ...(lines === undefined ? {} : { numLines: lines }),
  };
}

/** A path as results show it: relative in the first root, absolute in the others, so that it names one file. */
export function shownPath(roots: readonly string[], root: string, relative: string): string {
  return roots.length === 1 || root === roots[0] ? relative : path.join(root, relative);
}

type OpenedCode =
  | {
      readonly kind: "opened";
      readonly shown: string;
      readonly place: WorkspacePath;
      readonly text: string;
      readonly lines: readonly string[];
    }
  | { readonly kind: "missing"; readonly reason: "TOO_LARGE" | "NOT_FOUND"; readonly lines?: number };

/** What tools may not see is as little there as what does not exist. Throws `forbidden` outside of the workspace. */
async function openCode(deps: Deps, roots: readonly string[], given: string): Promise<OpenedCode> {
  const place = await resolvePath(roots, given);
  if (await deps.protectedPaths.isHidden(place.root, place.relative)) return { kind: "missing", reason: "NOT_FOUND" };
  const found = await stat(place.absolute).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (found?.isFile() !== true) return { kind: "missing", reason: "NOT_FOUND" };
  if (found.size > MAX_INDEXED_BYTES) return { kind: "missing", reason: "TOO_LARGE" };
  const text = decodeText(await readFile(place.absolute))?.text;
  if (text === undefined) return { kind: "missing", reason: "NOT_FOUND" };
  return { kind: "opened", shown: shownPath(roots, place.root, place.relative), place, text, lines: linesOf(text) };
}

function toCodeResult(file: Extract<OpenedCode, { kind: "opened" }>, wanted: WantedCode): JsonObject {
  const last = Math.max(1, file.lines.length);
  const start = Math.min(Math.max(1, wanted.lines?.start ?? 1), last);
  const end = Math.min(Math.max(start, wanted.lines?.end ?? last), last);
  const lines = file.lines.slice(start - 1, end);
  const signatures = wanted.signatureLines.filter((line) => line >= start && line <= end);
  return {
    codeBlock: {
      relativeWorkspacePath: file.shown,
      range: {
        startPosition: { line: start, column: 1 },
        endPosition: { line: end, column: (lines.at(-1)?.length ?? 0) + 1 },
      },
      contents: lines.join("\n"),
      fileContentsLength: file.text.length,
      ...(signatures.length === 0 ? {} : { signatures: { ranges: signatures.map((line) => lineRange(file, line)) } }),
    },
    score: wanted.score,
  };
}

function lineRange(file: { readonly lines: readonly string[] }, line: number): JsonObject {
  return {
    startPosition: { line, column: 1 },
    endPosition: { line, column: (file.lines[line - 1]?.length ?? 0) + 1 },
  };
}
