import { createHash } from "node:crypto";
import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { appendFile, mkdir, readFile, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { gunzip, gzip, gzipSync, type ZlibOptions } from "node:zlib";
import { promisify } from "node:util";
import { makeId } from "@quarry/base";
import { readSmallFile } from "./read-small-file.ts";
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
  /** The root it lies in, where the one who made it said so. */
  readonly root?: string;
  /** What the change belongs to: all calls that one answer of a model asked for. Else each call is a turn of its own. */
  readonly turnId?: string;
  /** The session that the sub-agent works for who made it. */
  readonly parentSessionId?: string;
  /** Who made it, where that was not the session's own agent. */
  readonly editor?: string;
  /** The change that this one took back. */
  readonly undoes?: string;
}

/** Whose change it is, and of what. */
export type ChangeOf = Pick<
  FileChange,
  "toolCallId" | "absolute" | "root" | "turnId" | "parentSessionId" | "editor" | "undoes"
> & { readonly sessionId: string };

/** Remembers every change that tools make, so that each can be taken back. It lies outside the workspace. */
export interface EditHistory {
  /** Remembers a change and then makes it. */
  readonly make: (
    change: ChangeOf,
    next: { readonly kind: "file"; readonly bytes: Buffer; readonly mode?: number } | { readonly kind: "nothing" },
  ) => Promise<FileChange>;
  /** Remembers a change to contents that some change knew, and then makes it. */
  readonly put: (change: ChangeOf, next: Contents) => Promise<FileChange>;
  /** What stands at a path now; a file's contents are kept. */
  readonly look: (absolute: string) => Promise<Contents>;
  /** A session's changes, oldest first. */
  readonly list: (sessionId: string) => Promise<readonly FileChange[]>;
  /** The bytes of contents that some change knew. */
  readonly read: (contentId: string) => Promise<Buffer>;
}

/** What is compressed while others wait: it takes less than the way to another thread. */
const SMALL_BYTES = 32 * 1024;

const zip = promisify<Buffer, ZlibOptions, Buffer>(gzip);
const unzip = promisify(gunzip);

/** A history in a directory: contents by their hash, and a list of changes per session that is only appended to. */
export function createEditHistory(directory: string): EditHistory {
  const blobOf = (contentId: string): string => path.join(directory, "contents", contentId.slice(0, 2), contentId);
  const listOf = (sessionId: string): string =>
    path.join(directory, "changes", `${createHash("sha256").update(sessionId).digest("hex").slice(0, 32)}.ndjson`);

  const write = async (file: string, bytes: Buffer): Promise<void> => {
    const zipped = bytes.length <= SMALL_BYTES ? gzipSync(bytes, { level: 1 }) : await zip(bytes, { level: 1 });
    await withDirectory(file, () => writeWholeFile(file, zipped, 0o600));
  };
  const keep: Keep = (bytes) => {
    const contentId = contentIdOf(bytes);
    const file = blobOf(contentId);
    return { contentId, isKept: existsSync(file) ? Promise.resolve() : write(file, bytes) };
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

  const put = async (of: ChangeOf, next: Kept, bytes?: Buffer): Promise<FileChange> => {
    const { sessionId, ...change } = of;
    next.isKept.catch(() => undefined); // awaited below, once what is there was looked at
    const before = await look(change.absolute, keep);
    const [now, after] = [new Date(), next.contents];
    const at = now.toISOString();
    const made: FileChange = { id: makeId("change", now), ...change, before: before.contents, after, at };
    const list = listOf(sessionId);
    const line = `\n${JSON.stringify(made)}\n`;
    // All of it is on the disk before anything is changed, in whatever order it gets there: a line alone tells of a
    // change that was not made.
    const listed = withDirectory(list, () => appendFile(list, line, { mode: 0o600, flush: true }));
    await Promise.all([before.isKept, next.isKept, listed]);
    await place(change.absolute, after, bytes === undefined ? read : () => Promise.resolve(bytes));
    return made;
  };

  return {
    list,
    read,
    look: async (absolute) => {
      const { contents, isKept } = await look(absolute, keep);
      await isKept;
      return contents;
    },
    put: (of, next) => put(of, { contents: next, isKept: Promise.resolve() }),
    make: async (of, next) => {
      if (next.kind === "nothing") return put(of, { contents: next, isKept: Promise.resolve() });
      const { contentId, isKept } = keep(next.bytes);
      const mode = next.mode ?? modeOf(of.absolute);
      return put(of, { contents: { kind: "file", contentId, mode }, isKept }, next.bytes);
    },
  };
}

/** Keeps contents; what they are called is known before they are on the disk. */
type Keep = (bytes: Buffer) => { readonly contentId: string; readonly isKept: Promise<void> };

/** Contents, and when their bytes are on the disk. */
interface Kept {
  readonly contents: Contents;
  readonly isKept: Promise<void>;
}

/** Writes a file; its directory is made only when it turns out to be missing, which it rarely is. */
async function withDirectory(file: string, write: () => Promise<void>, mode = 0o700): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isMissing(error)) throw error;
    await mkdir(path.dirname(file), { recursive: true, mode });
    await write();
  }
}

/** Whether two paths held the same. */
export function isSameContents(a: Contents, b: Contents): boolean {
  if (a.kind === "file" && b.kind === "file") return a.contentId === b.contentId;
  if (a.kind === "link" && b.kind === "link") return a.target === b.target;
  return a.kind === b.kind;
}

/** What stands at a path; a file's contents are kept. */
async function look(absolute: string, keep: Keep): Promise<Kept> {
  try {
    const found = lstatSync(absolute);
    const isKept = Promise.resolve();
    if (found.isSymbolicLink()) return { contents: { kind: "link", target: readlinkSync(absolute) }, isKept };
    const kept = keep(await readSmallFile(absolute));
    const contents = { kind: "file" as const, contentId: kept.contentId, mode: found.mode & 0o7777 };
    return { contents, isKept: kept.isKept };
  } catch (error) {
    if (isMissing(error)) return { contents: { kind: "nothing" }, isKept: Promise.resolve() };
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
    case "file": {
      const bytes = await read(next.contentId);
      await withDirectory(absolute, () => writeWholeFile(absolute, bytes, next.mode), 0o777);
    }
  }
}

function modeOf(absolute: string): number {
  return (lstatSync(absolute, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o7777;
}

function parseChange(line: string): FileChange | undefined {
  if (line === "") return undefined;
  try {
    return JSON.parse(line) as FileChange; // written above
  } catch {
    return undefined; // half a line, see above
  }
}
