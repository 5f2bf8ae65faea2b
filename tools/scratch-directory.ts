import { mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import path from "node:path";

/** A file system in memory, as Linux has it everywhere; containers often give it next to nothing. */
const MEMORY = "/dev/shm";
const PREFIX = "quarry-tests-";
/** Four files at once, each with a server and its database, stay well below a quarter of this. */
const ROOM_BYTES = 6 * 2 ** 30;

/**
 * Where the tests of this process put what they throw away: in memory where there is room, else in the system's temporary
 * directory. Making and removing hundreds of databases is most of what a disk would do, and none of it has to last. It is
 * removed when the process ends; what a killed one left, by the next.
 */
export function scratchDirectory(): string {
  if (!hasRoom()) return tmpdir();
  for (const name of readdirSync(MEMORY).filter((one) => one.startsWith(PREFIX))) {
    if (!isRunning(Number(name.slice(PREFIX.length)))) remove(name);
  }
  const name = `${PREFIX}${process.pid}`;
  mkdirSync(path.join(MEMORY, name), { recursive: true });
  process.once("exit", () => {
    remove(name);
  });
  return path.join(MEMORY, name);
}

function hasRoom(): boolean {
  if (process.platform !== "linux" || Math.min(freemem(), process.constrainedMemory()) < ROOM_BYTES) return false;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false; // there is none
  }
}

function remove(name: string): void {
  try {
    rmSync(path.join(MEMORY, name), { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // Another user's, or a program still writes there as it ends: the next run removes it. No test failed by that.
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"; // another user's
  }
}
