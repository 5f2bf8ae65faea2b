import { execFileSync } from "node:child_process";

const STARTS = 5;
/** What a start takes on two idle cores. */
const IDLE_MS = 50;

/** How much longer a bare Node takes to start than on two idle cores; 1 or more. For limits that a busy machine is to be forgiven. */
export function howSlowIsThisMachineNow(): number {
  const began = performance.now();
  for (let start = 0; start < STARTS; start += 1) execFileSync(process.execPath, ["-e", "0"]);
  return Math.max(1, (performance.now() - began) / STARTS / IDLE_MS);
}
