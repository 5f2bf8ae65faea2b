import { AppError } from "@quarry/base";

/** One change of a file by a patch. */
export type PatchOperation =
  | { readonly kind: "add"; readonly path: string; readonly contents: string }
  | { readonly kind: "delete"; readonly path: string }
  | { readonly kind: "update"; readonly path: string; readonly moveTo?: string; readonly hunks: readonly PatchHunk[] };

/** Lines to be exchanged. */
export interface PatchHunk {
  /** Lines that stand somewhere above, outermost first. */
  readonly headers: readonly string[];
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  /** The old lines are the last of the file. */
  readonly isAtEnd: boolean;
  /** Where the old lines were when the patch was made, from 1. */
  readonly oldStart?: number;
}

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const FILE_HEADER = /^\*\*\* (Add|Delete|Update) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;
const END_OF_FILE = "*** End of File";

/** Whether a text is a patch in the envelope that begins with `*** Begin Patch`. */
export function isPatch(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.startsWith(BEGIN) && trimmed.endsWith(END);
}

/** Reads such a patch. Throws `invalid_request` with the number of the line that is wrong. */
export function parsePatch(text: string): readonly PatchOperation[] {
  const lines = text.trim().split(/\r?\n/);
  if (lines[0]?.trim() !== BEGIN) throw wrong(1, `a patch begins with the line ${BEGIN}`);
  if (lines.at(-1)?.trim() !== END) throw wrong(lines.length, `a patch ends with the line ${END}`);
  const operations: PatchOperation[] = [];
  let at = 1;
  while (at < lines.length - 1) {
    const line = (lines[at] ?? "").trimEnd();
    if (line.trim() === "") {
      at += 1;
      continue;
    }
    const [, kind, path = ""] = FILE_HEADER.exec(line.trim()) ?? [];
    if (kind === undefined) {
      throw wrong(at + 1, "expected *** Add File:, *** Delete File: or *** Update File: and a path");
    }
    const end = endOfOperation(lines, at + 1);
    const body = lines.slice(at + 1, end);
    operations.push(readOperation(kind, path.trim(), { body, firstLine: at + 2 }));
    at = end;
  }
  if (operations.length === 0) throw wrong(1, "the patch changes no file");
  return operations;
}

function endOfOperation(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length - 1 && !/^\*\*\* (?!Move to:|End of File)/.test(lines[at] ?? "")) at += 1;
  return at;
}

function readOperation(
  kind: string,
  path: string,
  of: { readonly body: readonly string[]; readonly firstLine: number },
): PatchOperation {
  const { body, firstLine } = of;
  if (kind === "Delete") {
    if (body.some((line) => line.trim() !== "")) throw wrong(firstLine, `deleting ${path} takes no lines`);
    return { kind: "delete", path };
  }
  if (kind === "Add") {
    const bad = body.findIndex((line) => !line.startsWith("+"));
    if (bad !== -1) throw wrong(firstLine + bad, "each line of a new file begins with +");
    return { kind: "add", path, contents: body.map((line) => `${line.slice(1)}\n`).join("") };
  }
  const moveTo = MOVE.exec(body[0] ?? "")?.[1]?.trim();
  const rest = moveTo === undefined ? body : body.slice(1);
  const hunks = readHunks(rest, firstLine + (moveTo === undefined ? 0 : 1));
  if (hunks.length === 0 && moveTo === undefined) throw wrong(firstLine, `the update of ${path} changes nothing`);
  return { kind: "update", path, hunks, ...(moveTo === undefined ? {} : { moveTo }) };
}

/** Reads the lines of an update: `@@` begins a hunk, then lines kept, `-` taken out and `+` put in. */
export function readHunks(lines: readonly string[], firstLine: number): readonly PatchHunk[] {
  const hunks: PatchHunk[] = [];
  let headers: string[] = [];
  let changes: string[] = [];
  let isAtEnd = false;
  const flush = (): void => {
    if (changes.length > 0) hunks.push({ headers, ...sidesOf(changes), isAtEnd });
    if (changes.length > 0) headers = [];
    [changes, isAtEnd] = [[], false];
  };
  for (const [index, line] of lines.entries()) {
    if (line.trimEnd() === END_OF_FILE) {
      isAtEnd = true;
      flush();
    } else if (line.startsWith("@@")) {
      flush();
      const header = line.slice(2).trimStart();
      if (header !== "") headers.push(header);
    } else if (line === "" || /^[ +-]/.test(line)) {
      changes.push(line === "" ? " " : line);
    } else {
      throw wrong(firstLine + index, "each line of an update begins with a space, + or -, or is @@");
    }
  }
  flush();
  if (headers.length > 0) throw wrong(firstLine + lines.length, "nothing follows the last @@ line");
  return hunks;
}

/** What the lines of a hunk were, and what they become. */
export function sidesOf(changes: readonly string[]): Pick<PatchHunk, "oldLines" | "newLines"> {
  return {
    oldLines: changes.filter((line) => !line.startsWith("+")).map((line) => line.slice(1)),
    newLines: changes.filter((line) => !line.startsWith("-")).map((line) => line.slice(1)),
  };
}

function wrong(line: number, fix: string): AppError {
  return new AppError("invalid_request", `line ${line} of the patch: ${fix}`);
}
