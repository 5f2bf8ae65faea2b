import { readFile } from "node:fs/promises";
import path from "node:path";
import { AppError } from "@quarry/base";
import { z } from "zod";
import { probe } from "./api-client.ts";

const serverFileSchema = z.object({
  url: z.string().regex(/^https?:\/\//),
  pid: z.int().positive(),
  key: z.string().min(1),
  version: z.string(),
  startedAt: z.string(),
});

/** What a running server leaves in its data directory for local programs. */
export type ServerFile = Readonly<z.output<typeof serverFileSchema>>;

/**
 * What became of the server of a data directory.
 * - absent: no file, so none runs or one is just starting
 * - damaged: a file that no server wrote
 * - gone: its process has ended without taking the file away
 * - silent: its process lives but its address does not answer
 * - running: both do
 */
export type ServerState =
  | { readonly kind: "absent" }
  | { readonly kind: "damaged"; readonly filePath: string }
  | { readonly kind: "gone" | "silent" | "running"; readonly file: ServerFile };

const HEALTH_TIMEOUT_MS = 2_000;

/** Looks for the server of `dataDirectory`. Throws when its file may not be read. */
export async function findServer(dataDirectory: string, signal: AbortSignal): Promise<ServerState> {
  const filePath = path.join(dataDirectory, "server.json");
  const text = await readIfThere(filePath);
  if (text === undefined) return { kind: "absent" };
  const file = parseServerFile(text);
  if (file === undefined) return { kind: "damaged", filePath };
  if (!isAlive(file.pid)) return { kind: "gone", file };
  const status = await probe(`${file.url}/healthz`, HEALTH_TIMEOUT_MS, signal);
  return { kind: status === 200 ? "running" : "silent", file };
}

/** Whether a process with this id exists, ours or another's. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function parseServerFile(text: string): ServerFile | undefined {
  try {
    return serverFileSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // not JSON: no server wrote it
  }
}

async function readIfThere(filePath: string): Promise<string | undefined> {
  try {
    return await readFile(filePath, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new AppError("forbidden", `${filePath} cannot be read (${String(code)}); pass --url and --key instead`, {
      cause,
    });
  }
}
