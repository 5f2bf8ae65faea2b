import { open } from "node:fs/promises";
import type { JsonObject } from "@bufbuild/protobuf";

/** How much of a file's beginning and end is looked at. */
const HEAD_BYTES = 4_096;
const MAX_COMMANDS = 5;

/**
 * What the head of a terminal's transcript says, as `agent.v1.TerminalMetadata`;
 * undefined for any other file. A transcript begins with lines between two rows of
 * dashes: `cwd`, then `command`, `exit_code`, `started_at` and `duration_ms` for each
 * command, the newest last. A command without an exit code still runs.
 */
export async function readTranscript(absolute: string): Promise<JsonObject | undefined> {
  const file = await open(absolute).catch(() => undefined); // not ours to read: then it is just a file
  if (file === undefined) return undefined;
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = parseHead(buffer.toString("utf8", 0, bytesRead));
    if (head === undefined) return undefined;
    const { mtimeMs } = await file.stat();
    return { ...head, lastModifiedMs: String(Math.round(mtimeMs)) };
  } finally {
    await file.close();
  }
}

/** The same from a text. */
export function parseHead(text: string): JsonObject | undefined {
  const [, head] = /^---\r?\n([^]*?)\r?\n---(?:\r?\n|$)/.exec(text) ?? [];
  if (head === undefined) return undefined;
  let cwd: string | undefined;
  const commands: Record<string, string | number>[] = [];
  for (const line of head.split(/\r?\n/)) {
    const [, key = "", value = ""] = /^([a-z_]+):[ \t]*(.*)$/s.exec(line) ?? [];
    const name = key.replace(/^(last|current)_/, "");
    if (name === "cwd") cwd = unquote(value);
    else if (name === "command") commands.push({ command: unquote(value) });
    else addTo(commands.at(-1), name, value);
  }
  if (cwd === undefined || commands.length === 0) return undefined;
  const ended = commands.filter((command) => command["exitCode"] !== undefined);
  const running = commands.findLast((command) => command["exitCode"] === undefined);
  return {
    cwd,
    lastCommands: ended.slice(-MAX_COMMANDS),
    ...(running === undefined ? {} : { currentCommand: running }),
  };
}

function addTo(command: Record<string, string | number> | undefined, name: string, value: string): void {
  if (command === undefined || value === "") return;
  if (name === "exit_code" && /^-?\d+$/.test(value)) command["exitCode"] = Number(value);
  if (name === "duration_ms" && /^\d+$/.test(value)) command["durationMs"] = value;
  if (name === "started_at" && !Number.isNaN(Date.parse(value))) command["timestampMs"] = String(Date.parse(value));
}

function unquote(value: string): string {
  return /^".*"$/.test(value) ? (JSON.parse(value) as string) : value;
}
