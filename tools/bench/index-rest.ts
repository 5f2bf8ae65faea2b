import { sleep } from "@quarry/base";
import type { ServerProcess } from "../server-process.ts";
import { findIndexerProcess } from "../soak/find-indexer-process.ts";
import { readProcessTree } from "./process-tree.ts";

/** A process that uses less than this of one core does nothing worth waiting for. */
const RESTING_SHARE = 0.1;
const LOOK_EVERY_MS = 1_000;
/** Longer than the index waits after the last write before it puts itself in order. */
const QUIET_MS = 8_000;
const MAX_WAIT_MS = 180_000;

/**
 * Waits until the index has put itself in order, as it does by itself soon after the last write, so that searches are
 * measured and not the work beside them. Returns the seconds that took, those of quiet at the end not counted.
 */
export async function waitForRest(server: ServerProcess): Promise<number> {
  const began = performance.now();
  let quietSince = began;
  while (performance.now() - quietSince < QUIET_MS && performance.now() - began < MAX_WAIT_MS) {
    const indexer = findIndexerProcess(server.pid);
    if (indexer === undefined) return 0;
    const before = readProcessTree(indexer).cpuSeconds;
    await sleep(LOOK_EVERY_MS);
    const share = ((readProcessTree(indexer).cpuSeconds - before) * 1_000) / LOOK_EVERY_MS;
    if (share > RESTING_SHARE) quietSince = performance.now();
  }
  return (quietSince - began) / 1_000;
}
