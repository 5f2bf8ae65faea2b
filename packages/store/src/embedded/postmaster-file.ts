import { readFile } from "node:fs/promises";
import path from "node:path";

/** What postmaster.pid of a running or crashed server says (its lines are fixed by PostgreSQL's pidfile.h). */
export interface PostmasterFile {
  readonly pid: number;
  readonly isReady: boolean;
}

/** Reads `<cluster>/postmaster.pid`; undefined when there is none or when it is only half written. */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  let text: string;
  try {
    text = await readFile(postmasterFilePath(cluster), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  const lines = text.split(/\r?\n/);
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return { pid, isReady: lines[7]?.trim() === "ready" };
}

/** Where a cluster's server says that it runs. */
export function postmasterFilePath(cluster: string): string {
  return path.join(cluster, "postmaster.pid");
}
