import { createHash } from "node:crypto";
import { appendFile, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { storageFaultOf } from "@quarry/base";
import { isMissing } from "./resolve-path.ts";
import { writeWholeFile } from "./write-file.ts";

/** What a session knows of a file. */
export interface FileNote {
  /** The contents that it last read or wrote. */
  readonly contentId?: string;
  /** Its last edit of the file: the tool and its arguments. */
  readonly edit?: { readonly tool: string; readonly args: JsonObject };
  /** What linters found in the file since the session edits it, and had not before. */
  readonly problems?: readonly string[];
}

/** Remembers what sessions know of files, beyond the life of this process. */
export interface SessionFiles {
  readonly note: (sessionId: string, absolute: string, note: FileNote) => Promise<void>;
  readonly of: (sessionId: string, absolute: string) => Promise<FileNote>;
}

/** How many sessions are held in memory; others are read again when they come back. */
const MAX_SESSIONS = 50;
/** An edit larger than this is not kept: it can be sent again as easily. */
const MAX_EDIT_CHARACTERS = 1_000_000;
/** A list with so many lines for each file it tells of is written anew when it is next read. */
const LINES_PER_FILE = 4;
const MIN_LINES = 500;
/** Of lines that the disk refused, so many characters wait for it; notes beyond that live as long as the process. */
const MAX_WAITING_CHARACTERS = 4_000_000;

/**
 * Notes in a directory: a list per session that is only appended to. Losing the last lines to a power cut loses no work, so
 * nothing waits for the disk; and a disk that refuses a line does not fail the edit that was made: the line goes with the next.
 */
export function createSessionFiles(directory: string): SessionFiles {
  const sessions = new Map<string, Promise<Map<string, FileNote>>>();
  const waiting = new Map<string, string>();
  const listOf = (sessionId: string): string =>
    path.join(directory, `${createHash("sha256").update(sessionId).digest("hex").slice(0, 32)}.ndjson`);
  const open = (sessionId: string): Promise<Map<string, FileNote>> => {
    const known = sessions.get(sessionId) ?? load(listOf(sessionId));
    sessions.delete(sessionId);
    sessions.set(sessionId, known); // the last one used is forgotten last
    known.catch(() => sessions.get(sessionId) === known && sessions.delete(sessionId)); // the next one reads it again
    const [oldest] = sessions.keys();
    if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
    return known;
  };
  return {
    of: async (sessionId, absolute) => (await open(sessionId)).get(absolute) ?? {},
    note: async (sessionId, absolute, note) => {
      const files = await open(sessionId);
      const { edit, ...rest } = note;
      const isKept = edit !== undefined && JSON.stringify(edit).length <= MAX_EDIT_CHARACTERS;
      const added = isKept ? note : rest;
      const before = files.get(absolute);
      if (isSameRead(before, added)) return;
      files.set(absolute, { ...before, ...added });
      const line = `\n${JSON.stringify({ absolute, ...added })}\n`;
      const lines = `${waiting.get(sessionId) ?? ""}${line}`;
      waiting.delete(sessionId);
      const append = (): Promise<void> => appendFile(listOf(sessionId), lines, { mode: 0o600 });
      try {
        await append().catch(async (error: unknown) => {
          if (!isMissing(error)) throw error;
          await mkdir(directory, { recursive: true, mode: 0o700 }); // the first note of all
          await append();
        });
      } catch (error) {
        if (storageFaultOf(error) === undefined) throw error;
        const all = `${lines}${waiting.get(sessionId) ?? ""}`; // with what was refused meanwhile
        if (all.length <= MAX_WAITING_CHARACTERS) waiting.set(sessionId, all);
      }
    },
  };
}

/** Reading what one has read says nothing new. */
function isSameRead(before: FileNote | undefined, added: FileNote): boolean {
  const { edit, problems, contentId } = added;
  return edit === undefined && problems === undefined && (contentId ?? before?.contentId) === before?.contentId;
}

async function load(file: string): Promise<Map<string, FileNote>> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return "";
    throw error;
  });
  const lines = text.split("\n").filter((line) => line !== "");
  const files = new Map<string, FileNote>();
  for (const line of lines) {
    const note = parseNote(line);
    if (note === undefined) continue;
    const { absolute, ...rest } = note;
    files.set(absolute, { ...files.get(absolute), ...rest });
  }
  if (lines.length > MIN_LINES && lines.length > files.size * LINES_PER_FILE) {
    const kept = [...files].map(([absolute, note]) => `${JSON.stringify({ absolute, ...note })}\n`);
    await writeWholeFile(file, Buffer.from(kept.join("")), 0o600);
  }
  return files;
}

function parseNote(line: string): (FileNote & { readonly absolute: string }) | undefined {
  try {
    return JSON.parse(line) as FileNote & { readonly absolute: string }; // written above
  } catch {
    return undefined; // half a line of a process that died
  }
}
