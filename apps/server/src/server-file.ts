import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** How local programs find the running server: its address, its process, and a key for them. */
export interface ServerFile {
  readonly url: string;
  readonly pid: number;
  readonly key: string;
  readonly version: string;
  readonly startedAt: string;
}

/** Writes `<data>/server.json` in one move, readable by its owner alone. */
export function writeServerFile(dataDirectory: string, content: ServerFile): void {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const file = serverFilePath(dataDirectory);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  chmodSync(draft, 0o600); // the mode above is cut by the umask, never widened, but a file may have been left there
  renameSync(draft, file);
}

/** Takes the file away, unless another server has written its own meanwhile. */
export function removeServerFile(dataDirectory: string): void {
  const file = serverFilePath(dataDirectory);
  let content: string;
  try {
    content = readFileSync(file, "utf8");
  } catch {
    return; // never written, or taken away by hand
  }
  if (content.includes(`"pid": ${process.pid},`)) rmSync(file, { force: true });
}

function serverFilePath(dataDirectory: string): string {
  return path.join(dataDirectory, "server.json");
}
