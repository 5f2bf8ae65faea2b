import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What one page took: by the clock, and on the processor (the collector's threads included). */
export interface Timing {
  readonly milliseconds: number;
  readonly processorMilliseconds: number;
}

/** A page as one system did it. */
export interface TimedResult<Page, Result> extends Timing {
  readonly page: Page;
  readonly result: Result;
}

/** Every system runs on these before the clock does, so that none is timed while it is being compiled. */
const WARM_UP_PAGES = 150;
const PAGES_A_TURN = 25;

/**
 * Runs systems over the same pages in turns of some pages each, so that a machine that is busy for a while is busy for
 * all. The heap is cleaned before each turn: no system pays for the garbage of another.
 */
export function timeInTurns<Page, Result>(
  pages: readonly Page[],
  systems: Readonly<Record<string, (page: Page) => Result>>,
): Readonly<Record<string, readonly TimedResult<Page, Result>[]>> {
  const collectGarbage = makeCollector();
  const entries = Object.entries(systems).map(([name, run]) => ({
    name,
    run,
    results: [] as TimedResult<Page, Result>[],
  }));
  for (const page of pages.slice(0, WARM_UP_PAGES)) for (const { run } of entries) run(page);
  for (let first = 0; first < pages.length; first += PAGES_A_TURN) {
    for (const { run, results } of entries) {
      collectGarbage();
      for (const page of pages.slice(first, first + PAGES_A_TURN)) {
        const { result, ...timing } = timeOf(() => run(page));
        results.push({ page, result, ...timing });
      }
    }
  }
  return Object.fromEntries(entries.map(({ name, results }) => [name, results]));
}

/** Times one act by the clock and on the processor. */
export function timeOf<Result>(act: () => Result): Timing & { readonly result: Result } {
  const processorBegin = process.cpuUsage();
  const begin = performance.now();
  const result = act();
  const milliseconds = performance.now() - begin;
  const { user, system } = process.cpuUsage(processorBegin);
  return { result, milliseconds, processorMilliseconds: (user + system) / 1000 };
}

/** A way to clean the heap now: Node gives its collector only to those who ask at start, or by this way round. */
export function makeCollector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}
