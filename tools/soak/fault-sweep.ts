import { mkdirSync } from "node:fs";
import path from "node:path";
import { withDataDirectory } from "../server-process.ts";
import { checkAfter, checkTraces } from "./faults/check-answers.ts";
import { createFaultOrders, type WriteSite } from "./faults/fault-orders.ts";
import { doWork } from "./faults/fault-work.ts";
import { layOutWork, makeFaultWorld, startServerOf } from "./faults/fault-world.ts";
import { nameSites } from "./faults/name-sites.ts";
import { runFullDisk } from "./faults/run-full-disk.ts";
import { sweepStarts } from "./faults/sweep-starts.ts";
import { sweepWork, type Injection } from "./faults/sweep-work.ts";
import type { Random } from "./random.ts";
import type { Soak, SoakContext, SoakResult } from "./soak.ts";

/** Turns in peace that find the places: what is made once is made in the first. */
const PEACEFUL_TURNS = 2;
const FULL_DISK_ROUNDS = 5;
/** Faults that all places meet at once, as those of a real disk do. */
const EVERYWHERE = ["ENOSPC", "EIO", "EMFILE", "EROFS"].map((fault) => ({ site: "*", fault }));

/**
 * Every place that a script of work, a start and a stop of the server write at meets every fault that its call can meet:
 * a full, a broken, a read-only disk, no descriptor left, a torn and a short write. Then the disk below the database and the
 * index is really full, and the server really has no descriptor left. Every answer is what it should be or a refusal in the
 * shape of the API, the process lives on, and when the fault ends all work goes on with nothing lost or torn.
 */
export const faultSweepSoak: Soak = {
  name: "fault-sweep",
  run: (context) =>
    withDataDirectory(async (home) => {
      const swept = await sweepPlaces(context, path.join(home, "swept"));
      const full = await runFullDisk(home, Math.ceil(FULL_DISK_ROUNDS * context.size));
      if (full === undefined) context.report("no disk can be mounted here: the full disk is left out");
      return {
        figures: { ...swept.figures, ...full?.figures },
        violations: [...swept.violations, ...(full?.violations ?? [])],
      };
    }),
};

async function sweepPlaces({ random, size, report }: SoakContext, home: string): Promise<SoakResult> {
  const directory = path.join(home, "faults");
  mkdirSync(directory, { recursive: true });
  const orders = createFaultOrders(directory);
  const world = await makeFaultWorld(home);
  try {
    // A start, work and a stop in peace: where each writes.
    const first = await startServerOf(world, orders.settings);
    const atStart = orders.sites();
    const violations: string[] = [];
    const place = await layOutWork(world, first);
    for (let turn = 0; turn < PEACEFUL_TURNS; turn += 1) {
      const answers = await doWork(place, turn);
      violations.push(...checkAfter(answers), ...(await checkTraces(place, turn, answers)));
    }
    const atWork = orders.sites(atStart.length);
    await first.stop();
    const atStop = orders.sites(atStart.length + atWork.length);

    const deps = { world, orders, report, nameOf: nameSites() };
    const ofWork = [...injectionsAt(atWork), ...EVERYWHERE];
    const ofStarts = [...injectionsAt([...atStart, ...atStop]), ...EVERYWHERE];
    const chosenStarts = choose(random, ofStarts, size);
    const starts = await sweepStarts(deps, chosenStarts);
    const again = { ...place, server: await startServerOf(world, orders.settings) };
    const chosenWork = choose(random, ofWork, size);
    const work = await sweepWork(deps, again, chosenWork);
    return {
      figures: {
        placesAtWork: atWork.length,
        placesAtStartAndStop: atStart.length + atStop.length,
        injections: ofWork.length + ofStarts.length,
        injected: chosenWork.length + chosenStarts.length,
        met: work.met + starts.met,
        callsThatMetThem: work.hits + starts.hits,
      },
      violations: [...violations, ...starts.violations, ...work.violations],
    };
  } finally {
    orders.end();
    await world.close();
  }
}

function injectionsAt(sites: readonly WriteSite[]): readonly Injection[] {
  return sites.flatMap(({ site, faults }) => faults.map((fault) => ({ site, fault })));
}

function choose(random: Random, all: readonly Injection[], size: number): readonly Injection[] {
  const left = [...all];
  const count = Math.min(left.length, Math.ceil(all.length * size));
  return Array.from({ length: count }, () => left.splice(random.integer(0, left.length - 1), 1)).flat();
}
