import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** One file, ready to send. */
export interface StaticFile {
  readonly body: Buffer;
  readonly mediaType: string;
  readonly etag: string;
  /** Named after its contents, so that it may be kept for ever. */
  readonly isImmutable: boolean;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/**
 * Reads a directory's files once, by their path below it with forward slashes.
 * Requests then look names up in this table and never touch the file system, so
 * that no path can lead outside. A directory that is not there has no files.
 */
export async function readStaticFiles(directory: string): Promise<ReadonlyMap<string, StaticFile>> {
  const files = new Map<string, StaticFile>();
  for (const name of await listFiles(directory)) {
    const body = await readFile(path.join(directory, name));
    files.set(name.split(path.sep).join("/"), toStaticFile(name, body));
  }
  return files;
}

/** A file from its name and contents. */
export function toStaticFile(name: string, body: Buffer): StaticFile {
  return {
    body,
    mediaType: MEDIA_TYPES[path.extname(name).toLowerCase()] ?? "application/octet-stream",
    etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`,
    isImmutable: /[.-][A-Za-z0-9_-]{8,}\.[a-z0-9]+$/.test(name) && name.includes("assets"),
  };
}

async function listFiles(directory: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
