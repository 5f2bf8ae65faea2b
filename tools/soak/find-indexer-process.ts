import { readdirSync, readFileSync } from "node:fs";

/** The process that writes the index for a server; undefined while there is none. Linux only. */
export function findIndexerProcess(serverPid: number): number | undefined {
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1];
      if (Number(parent) !== serverPid) continue;
      if (readFileSync(`/proc/${name}/cmdline`, "utf8").includes("indexer.js")) return Number(name);
    } catch {
      // It ended while we looked: not the one we look for.
    }
  }
  return undefined;
}
