// Tries for the lock of a data directory when told to, and says what became of it.
import { appendFileSync, closeSync, openSync, rmSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { AppError, sleep } from "@quarry/base";
import { lockDataDirectory } from "../data-directory-lock.ts";

const [dataDirectory = "", roundsText = "0"] = process.argv.slice(2);
const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
process.stdout.write("ready\n");
await input.next();

if (roundsText === "0") {
  try {
    const lock = await lockDataDirectory(dataDirectory);
    await lock.announceUrl(`http://127.0.0.1/${process.pid}`);
    process.stdout.write("owner\n");
  } catch (error) {
    process.stdout.write(`refused ${AppError.from(error).message}\n`);
  }
  await input.next(); // until the test ends us
} else {
  let taken = 0;
  for (let round = 0; round < Number(roundsText); round += 1) {
    const lock = await lockDataDirectory(dataDirectory).catch(() => undefined); // another has it
    if (lock !== undefined) {
      taken += 1;
      await useAlone();
      await lock.release();
    }
    await sleep(Math.random() * 3);
  }
  process.stdout.write(`taken ${taken}\n`);
}
process.exit(0);

/** Fails when another process is in here at the same time. */
async function useAlone(): Promise<void> {
  const file = path.join(dataDirectory, "alone");
  try {
    closeSync(openSync(file, "wx"));
    await sleep(Math.random() * 3);
    rmSync(file);
  } catch (error) {
    appendFileSync(path.join(dataDirectory, "violations"), String(error));
  }
}
