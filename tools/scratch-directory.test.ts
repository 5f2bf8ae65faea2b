import { existsSync, mkdirSync, rmSync } from "node:fs";
import { expect, it } from "vitest";
import { scratchDirectory } from "./scratch-directory.ts";

/** Above any number that Linux gives to a process. */
const NEVER_A_PID = 2 ** 30;

it.runIf(existsSync("/dev/shm"))("lies in memory or on disk, and removes from memory what a killed run left", () => {
  const left = `/dev/shm/quarry-tests-${NEVER_A_PID}`;
  mkdirSync(left, { recursive: true });
  try {
    const place = scratchDirectory();
    expect(existsSync(place)).toBe(true);
    expect(existsSync(left)).toBe(!place.startsWith("/dev/shm/quarry-tests-"));
    expect(scratchDirectory()).toBe(place); // the same for one process
  } finally {
    rmSync(left, { recursive: true, force: true });
  }
});
