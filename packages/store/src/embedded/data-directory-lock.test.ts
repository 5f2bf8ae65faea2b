import { existsSync } from "node:fs";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { lockDataDirectory, readDataDirectoryOwner } from "./data-directory-lock.ts";
import { identifyOurselves, readStartFromPs } from "./process-identity.ts";
import { buildTestProgram, withDirectory, type TestProgram } from "./testing.ts";

vi.setConfig({ testTimeout: 60_000 }); // many processes on few processors

let takeLock: (...args: string[]) => TestProgram;
beforeAll(async () => {
  takeLock = await buildTestProgram("take-lock");
});

/** Leaves a claim as another process would have. */
async function leaveClaim(directory: string, changes: object): Promise<string> {
  const claim = { ...(await identifyOurselves()), token: "x", url: null, isReleased: false, ...changes };
  await mkdir(path.join(directory, "owner.lock"));
  const file = path.join(directory, "owner.lock", "7");
  await writeFile(file, JSON.stringify(claim));
  return file;
}

describe("lockDataDirectory", () => {
  verifies("store:owner:second-process-refused", "refuses a second process and names the first", () =>
    withDirectory(async (directory) => {
      const lock = await lockDataDirectory(directory);
      await lock.announceUrl("http://127.0.0.1:7700");
      expect(await readDataDirectoryOwner(directory)).toEqual({ pid: process.pid, url: "http://127.0.0.1:7700" });
      const second = takeLock(directory);
      await second.nextLine();
      second.send("go");
      const answer = await second.nextLine();
      expect(answer).toContain(`refused another Quarry (process ${process.pid} on `);
      expect(answer).toContain("answers at http://127.0.0.1:7700");
      await second.kill();
      await lock.release();
      expect(await readDataDirectoryOwner(directory)).toBeUndefined();
      await (await lockDataDirectory(directory)).release();
    }),
  );

  it("says what to do when the directory cannot be written", () =>
    withDirectory(async (directory) => {
      const place = path.join(directory, "a file");
      await writeFile(place, "");
      await expect(lockDataDirectory(place)).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringMatching(
          /^the data directory .*a file cannot be used \(ENOTDIR.*QUARRY_DATA_DIR/,
        ) as string,
      });
    }));

  verifies("store:owner:lock-after-kill-recovered", "gives what a killed owner left to one of many", () =>
    withDirectory(async (directory) => {
      for (let round = 0; round < 3; round += 1) {
        const programs = Array.from({ length: 5 }, () => takeLock(directory));
        await Promise.all(programs.map((program) => program.nextLine()));
        for (const program of programs) program.send("go");
        const answers = await Promise.all(programs.map((program) => program.nextLine()));
        expect(answers.filter((answer) => answer === "owner")).toHaveLength(1);
        await Promise.all(programs.map((program) => program.kill()));
      }
      expect((await readdir(path.join(directory, "owner.lock"))).filter((name) => !name.endsWith(".new"))).toEqual([
        "3",
      ]);
    }),
  );

  it("never has two owners while many take and release it", async () => {
    await withDirectory(async (directory) => {
      const programs = Array.from({ length: 4 }, () => takeLock(directory, "150"));
      await Promise.all(programs.map((program) => program.nextLine()));
      for (const program of programs) program.send("go");
      const answers = await Promise.all(programs.map((program) => program.nextLine()));
      const taken = answers.map((answer) => Number(answer.replace("taken ", ""))).reduce((sum, count) => sum + count);
      expect(taken).toBeGreaterThan(20);
      expect(existsSync(path.join(directory, "violations"))).toBe(false);
    });
  });

  it("is not misled by a later process with the same number", async () => {
    await withDirectory(async (directory) => {
      await leaveClaim(directory, { startedAt: "1" });
      await (await lockDataDirectory(directory)).release();
    });
  });

  it("watches for the heartbeat of an owner in another container", async () => {
    await withDirectory(async (directory) => {
      const file = await leaveClaim(directory, { world: "elsewhere", host: "elsewhere" });
      let second = 0;
      const beating = setInterval(() => void utimes(file, (second += 1), second), 100);
      await expect(lockDataDirectory(directory)).rejects.toThrow("on elsewhere) uses this data directory");
      clearInterval(beating);
    });
  });

  it.runIf(existsSync("/bin/ps"))("reads a start time from ps where there is no /proc", async () => {
    expect(await readStartFromPs(process.pid)).toMatch(/\d\d:\d\d:\d\d \d{4}$/);
    expect(await readStartFromPs(2 ** 30)).toBeUndefined();
  });
});
