import { createHash } from "node:crypto";
import { appendFile, lstat, mkdir, readFile, readlink, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { gunzip, gzip } from "node:zlib";
import { promisify } from "node:util";
import { AppError, makeId } from "@quarry/base";
import { isMissing } from "./resolve-path.ts";
import { contentIdOf } from "./text-file.ts";
import { writeWholeFile } from "./write-file.ts";

/** What stood at a path: nothing, a file's contents, or a link. */
export type Contents =
  | { readonly kind: "nothing" }
  | { readonly kind: "file"; readonly contentId: string; readonly mode: number }
  | { readonly kind: "link"; readonly target: string };

/** One change of one file by one call. */
export interface FileChange {
  readonly id: string;
  readonly toolCallId: string;
  readonly absolute: string;
  readonly before: Contents;
  readonly after: Contents;
  readonly at: string;
  /** The change that this one took back. */
  readonly undoes?: string;
}

/** What became of taking a change back. */
export type UndoOutcome =
  | { readonly kind: "undone"; readonly change: FileChange }
  | { readonly kind: "changed-since"; readonly absolute: string };

/** Remembers every change that tools make, so that each can be taken back. It lies outside the workspace. */
export interface EditHistory {
  /** Remembers a change and then makes it. */
  readonly make: (
    change: { readonly sessionId: string; readonly toolCallId: string; readonly absolute: string },
    next: { readonly kind: "file"; readonly bytes: Buffer; readonly mode?: number } | { readonly kind: "nothing" },
  ) => Promise<FileChange>;
  /** A session's changes, oldest first. */
  readonly list: (sessionId: string) => Promise<readonly FileChange[]>;
  /** Takes a change back, unless the file was changed since. That can itself be taken back. Throws `not_found`. */
  readonly undo: (sessionId: string, changeId: string) => Promise<UndoOutcome>;
  /** Takes back everything after a change, newest first; stops before a file that was changed since. */
  readonly restore: (sessionId: string, changeId: string | undefined) => Promise<readonly UndoOutcome[]>;
  /** The bytes of contents that some change knew. */
  readonly read: (contentId: string) => Promise<Buffer>;
}

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** A history in a directory: contents by their hash, and a list of changes per session that is only appended to. */
export function createEditHistory(directory: string): EditHistory {
  const blobOf = (contentId: string): string => path.join(directory, "contents", contentId.slice(0, 2), contentId);
  const listOf = (sessionId: string): string =>
    path.join(directory, "changes", `${createHash("sha256").update(sessionId).digest("hex").slice(0, 32)}.ndjson`);

  const keep = async (bytes: Buffer): Promise<string> => {
    const contentId = contentIdOf(bytes);
    const file = blobOf(contentId);
    if (await isThere(file)) return contentId;
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeWholeFile(file, await zip(bytes), 0o600);
    return contentId;
  };
  const read: EditHistory["read"] = async (contentId) => unzip(await readFile(blobOf(contentId)));

  const list: EditHistory["list"] = async (sessionId) => {
    const text = await readFile(listOf(sessionId), "utf8").catch((error: unknown) => {
      if (isMissing(error)) return "";
      throw error;
    });
    // A line that a dying process left half-written tells of a change that was not made.
    return text.split("\n").flatMap((line) => parseChange(line) ?? []);
  };

  const put = async (
    of: { readonly sessionId: string; readonly toolCallId: string; readonly absolute: string },
    next: Contents,
    undoes?: string,
  ): Promise<FileChange> => {
    const { sessionId, toolCallId, absolute } = of;
    const before = await look(absolute, keep);
    const at = new Date();
    const id = makeId("change", at);
    const made: FileChange = {
      id,
      toolCallId,
      absolute,
      before,
      after: next,
      at: at.toISOString(),
      ...(undoes === undefined ? {} : { undoes }),
    };
    await mkdir(path.dirname(listOf(sessionId)), { recursive: true, mode: 0o700 });
    await appendFile(listOf(sessionId), `\n${JSON.stringify(made)}\n`, { mode: 0o600, flush: true });
    await place(absolute, next, read);
    return made;
  };

  const undo = async (sessionId: string, change: FileChange): Promise<UndoOutcome> => {
    const now = await look(change.absolute, keep);
    if (!isSame(now, change.after) && !isSame(now, change.before)) {
      return { kind: "changed-since", absolute: change.absolute };
    }
    const of = { sessionId, toolCallId: change.toolCallId, absolute: change.absolute };
    return { kind: "undone", change: await put(of, change.before, change.id) };
  };

  return {
    list,
    read,
    make: async (change, next) => {
      if (next.kind === "nothing") return put(change, next);
      const { mode } = next;
      return put(change, {
        kind: "file",
        contentId: await keep(next.bytes),
        mode: mode ?? (await modeOf(change.absolute)),
      });
    },
    undo: async (sessionId, changeId) => {
      const change = (await list(sessionId)).find(({ id }) => id === changeId);
      if (change === undefined) throw new AppError("not_found", `there is no change ${changeId} in this session`);
      return undo(sessionId, change);
    },
    restore: async (sessionId, changeId) => {
      const changes = await list(sessionId);
      const index = changeId === undefined ? -1 : changes.findIndex(({ id }) => id === changeId);
      if (changeId !== undefined && index === -1) {
        throw new AppError("not_found", `there is no change ${changeId} in this session`);
      }
      const outcomes: UndoOutcome[] = [];
      for (const change of changes.slice(index + 1).toReversed()) {
        const outcome = await undo(sessionId, change);
        outcomes.push(outcome);
        if (outcome.kind !== "undone") break;
      }
      return outcomes;
    },
  };
}

/** What stands at a path; a file's contents are kept. */
async function look(absolute: string, keep: (bytes: Buffer) => Promise<string>): Promise<Contents> {
  try {
    const found = await lstat(absolute);
    if (found.isSymbolicLink()) return { kind: "link", target: await readlink(absolute) };
    return { kind: "file", contentId: await keep(await readFile(absolute)), mode: found.mode & 0o7777 };
  } catch (error) {
    if (isMissing(error)) return { kind: "nothing" };
    throw error;
  }
}

async function place(absolute: string, next: Contents, read: EditHistory["read"]): Promise<void> {
  switch (next.kind) {
    case "nothing":
      await rm(absolute, { force: true });
      return;
    case "link":
      await rm(absolute, { force: true });
      await symlink(next.target, absolute);
      return;
    case "file":
      await mkdir(path.dirname(absolute), { recursive: true });
      await writeWholeFile(absolute, await read(next.contentId), next.mode);
  }
}

function isSame(a: Contents, b: Contents): boolean {
  if (a.kind === "file" && b.kind === "file") return a.contentId === b.contentId;
  if (a.kind === "link" && b.kind === "link") return a.target === b.target;
  return a.kind === b.kind;
}

async function modeOf(absolute: string): Promise<number> {
  return lstat(absolute).then(
    ({ mode }) => mode & 0o7777,
    () => 0o644, // a new file
  );
}

async function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false, // then it is written
  );
}

function parseChange(line: string): FileChange | undefined {
  if (line === "") return undefined;
  try {
    return JSON.parse(line) as FileChange; // written above
  } catch {
    return undefined; // half a line, see above
  }
}
