import { execFile, execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

/** What the program in its own namespace found. */
interface FullDisk {
  readonly figures: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

const WITHIN_MS = 30 * 60_000;
const NAMESPACE = ["-Urm"];

/** Runs `full-disk-program.ts` where this machine lets an ordinary user mount a disk of its own; undefined elsewhere. */
export async function runFullDisk(home: string, rounds: number): Promise<FullDisk | undefined> {
  if (!canMount(home)) return undefined;
  const program = path.resolve("tools", "run-typescript.mjs");
  const command = [process.execPath, program, "tools/soak/faults/full-disk-program.ts", home, String(rounds)];
  const { stdout } = await promisify(execFile)("unshare", [...NAMESPACE, ...command], { timeout: WITHIN_MS });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as FullDisk;
}

function canMount(home: string): boolean {
  const probe = path.join(home, "probe");
  mkdirSync(probe, { recursive: true });
  try {
    const mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", probe];
    execFileSync("unshare", [...NAMESPACE, ...mount], { stdio: "ignore" });
    return true;
  } catch {
    return false; // no user namespaces, or no Linux: that is the answer
  }
}
