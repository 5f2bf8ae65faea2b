import { sleep } from "@quarry/base";
import { checkAfter, checkDuring, checkTraces } from "./check-answers.ts";
import type { FaultOrders } from "./fault-orders.ts";
import { doWork, type Answer, type WorkPlace } from "./fault-work.ts";
import { layOutWork, startServerOf, type FaultWorld } from "./fault-world.ts";

/** One fault at one place of the program. */
export interface Injection {
  readonly site: string;
  readonly fault: string;
}

/** What a sweep found. */
export interface Swept {
  /** Injections whose place was come by. */
  met: number;
  /** Calls that met a fault. */
  hits: number;
  readonly violations: string[];
}

/** How long background work gets to meet the fault. */
const LASTS_MS = 300;

/** What a sweep works with. */
export interface SweepDeps {
  readonly world: FaultWorld;
  readonly orders: FaultOrders;
  readonly nameOf: (site: string) => string;
  readonly report: (line: string) => void;
}

/** Adds what one injection came to. */
export function note(deps: SweepDeps, swept: Swept, injection: Injection, wrong: readonly string[]): void {
  const hits = deps.orders.met();
  const name = `${injection.fault} at ${deps.nameOf(injection.site)}`;
  swept.met += hits > 0 ? 1 : 0;
  swept.hits += hits;
  swept.violations.push(...wrong.map((line) => `${name}: ${line}`));
  deps.report([`${name}: met ${hits} times`, ...wrong].join("\n    "));
}

/** Lets each fault happen while all work goes on, and looks at what was answered then, and at everything after it. */
export async function sweepWork(deps: SweepDeps, begun: WorkPlace, injections: readonly Injection[]): Promise<Swept> {
  const { world, orders } = deps;
  const swept: Swept = { met: 0, hits: 0, violations: [] };
  let place = begun;
  let turn = FIRST_TURN;
  const acknowledged: { readonly turn: number; readonly answers: readonly Answer[] }[] = [];
  for (const injection of injections) {
    orders.begin(injection.site, injection.fault);
    const during = await doWork(place, turn);
    await sleep(LASTS_MS);
    orders.end();
    const after = await doWork(place, turn + 1);
    const wrong = [
      ...checkDuring(during),
      ...checkAfter(after),
      ...(await checkTraces(place, turn, during)),
      ...(await checkTraces(place, turn + 1, after)),
    ];
    if (place.server.exitCode() !== null) {
      wrong.push(`the server ended: ${place.server.stderr().slice(-1_500)}`);
      place = await layOutWork(world, await startServerOf(world, orders.settings));
    }
    acknowledged.push({ turn, answers: during.filter(({ piece }) => piece === "documents") });
    turn += 2;
    note(deps, swept, injection, wrong);
  }
  await place.server.stop();
  // What was acknowledged is in the files, not only in the memory of that process.
  place = { ...place, server: await startServerOf(world) };
  for (const { turn: of, answers } of acknowledged) {
    swept.violations.push(...(await checkTraces(place, of, answers)).map((line) => `after a restart: ${line}`));
  }
  await place.server.stop();
  return swept;
}

/** After the turns in peace. */
const FIRST_TURN = 10;
