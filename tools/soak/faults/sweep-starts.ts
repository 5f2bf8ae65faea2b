import { readdirSync, readlinkSync, realpathSync } from "node:fs";
import path from "node:path";
import { sleep } from "@quarry/base";
import { startServerOf, type FaultWorld } from "./fault-world.ts";
import { note, type Injection, type SweepDeps, type Swept } from "./sweep-work.ts";

/** The database ends with its server, within this time at the latest. */
const ENDS_WITHIN_MS = 5_000;

/**
 * Lets each fault happen while a server starts and stops. A start either works or is refused in a sentence, a stop comes to
 * its end, no database is left behind, and the next start works.
 */
export async function sweepStarts(deps: SweepDeps, injections: readonly Injection[]): Promise<Swept> {
  const { world, orders } = deps;
  const swept: Swept = { met: 0, hits: 0, violations: [] };
  for (const injection of injections) {
    orders.begin(injection.site, injection.fault);
    const wrong = [...(await startAndStop(world, orders.settings))];
    orders.end();
    if (!(await waitForNoDatabase(world))) wrong.push("a database was left behind");
    try {
      const server = await startServerOf(world, orders.settings);
      const { status } = await server.call("GET", "/quarry/v1/documents?url=https%3A%2F%2Falprad.example%2F");
      if (status !== 200) wrong.push(`a document of earlier was answered with ${status} after the next start`);
      const code = await server.stop();
      if (code !== 0) wrong.push(`the stop after the fault ended ${code ?? "by a signal"}`);
    } catch (error) {
      wrong.push(`the next start failed: ${String(error).slice(0, 1_000)}`);
    }
    note(deps, swept, injection, wrong);
  }
  return swept;
}

async function startAndStop(world: FaultWorld, settings: Readonly<Record<string, string>>): Promise<readonly string[]> {
  let server;
  try {
    server = await startServerOf(world, settings);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const isSentence = /exit code [12]\)/.test(said) && /Quarry cannot start: |data directory/.test(said);
    const hasStack = /\n\s+at /.test(said);
    return isSentence && !hasStack ? [] : [`the start was refused so: ${said.slice(0, 1_500)}`];
  }
  const code = await server.stop();
  return code === null ? ["the stop was ended by a signal"] : [];
}

async function waitForNoDatabase(world: FaultWorld): Promise<boolean> {
  const cluster = path.join(realpathSync(world.dataDirectory), "postgres");
  for (const end = performance.now() + ENDS_WITHIN_MS; performance.now() < end;) {
    if (!readdirSync("/proc").some((name) => /^\d+$/.test(name) && directoryOf(name) === cluster)) return true;
    await sleep(100);
  }
  return false;
}

function directoryOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined; // it has ended, or is another's
  }
}
