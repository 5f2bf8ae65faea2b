import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, it } from "vitest";

const REPOSITORY = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/**
 * Tests over a judged data set that is not part of the repository. `QUARRY_EVAL_DATA` says where the sets lie, by
 * default beside the repository; an absent one leaves a single skipped test that says so.
 */
export function describeData(name: string, run: (folder: string) => void): void {
  const root = process.env["QUARRY_EVAL_DATA"] ?? path.join(REPOSITORY, "../shared/data");
  const folder = path.join(root, name);
  if (!existsSync(folder)) {
    it.skip(`${name}: not found (set QUARRY_EVAL_DATA to the folder that holds it)`);
    return;
  }
  describe(name, () => run(folder));
}
