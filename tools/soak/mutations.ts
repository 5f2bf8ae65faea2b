import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { sleep } from "@quarry/base";
import { buildProgram } from "./build-program.ts";
import { makeMutants, type Mutant } from "./make-mutants.ts";
import type { MutantRun, MutantVerdict } from "./mutant-runner.ts";
import { EQUIVALENT_MUTANTS, MUTATION_AREAS, type MutatedFile } from "./mutation-areas.ts";
import type { Random } from "./random.ts";
import type { Soak } from "./soak.ts";

/** What the whole proof tries of each area, by seed; all of them would take hours. */
const MUTANTS_PER_AREA = 150;
/** How many of an area's mutants the tests must notice. */
const LEAST_SCORE = 0.8;
/** Of the few mutants that a part of the proof tries, chance may spare some more. */
const LEAST_SCORE_OF_A_PART = 0.6;
/** A mutant may wait for ever; that is noticed too. */
const HANG_MS = 150_000;
/** Each with a PostgreSQL and a worker of its own. */
const RUNNERS = 2;

/** Changes the code where mistakes cost most, one small thing at a time, and looks that its tests notice. */
export const mutationsSoak: Soak = {
  name: "mutations",
  run: async ({ random, size, report }) => {
    const perArea = Math.max(1, Math.round(MUTANTS_PER_AREA * size));
    const { tallies, violations } = await tryMutants(Object.keys(MUTATION_AREAS), { random, perArea, report });
    return { figures: figuresOf(tallies), violations: [...violations, ...faultsOf(tallies, size)] };
  },
};

/** Tries so many mutants of each area, chosen by chance; originals have to pass the same tests. */
export async function tryMutants(
  areas: readonly string[],
  options: { readonly random: Random; readonly perArea: number; readonly report: (line: string) => void },
): Promise<{ readonly tallies: Tallies; readonly violations: readonly string[] }> {
  const { random, perArea, report } = options;
  const program = await buildProgram("tools/soak/mutant-runner.ts");
  const tallies = new Map(areas.map((area) => [area, { killed: 0, survived: 0 }]));
  const violations: string[] = [];
  const queue = areas.flatMap((area) => {
    const mutants = (MUTATION_AREAS[area] ?? []).flatMap((file) => mutantsOf(area, file));
    const chosen = sample(random, mutants, perArea);
    // A part of the proof looks at one original of an area, the whole one at all.
    return [...originalsOf(chosen).slice(0, Math.ceil(chosen.length / 10)), ...chosen];
  });
  const total = queue.length;
  const serve = async (): Promise<void> => {
    const runner = await startRunner(program);
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const { area, tests, mutant } = next;
        const { failed } = await runner.run({ file: mutant.file, text: mutant.text, tests });
        const tally = tallies.get(area);
        if (next.isOriginal) {
          if (failed !== undefined) violations.push(`${mutant.file}: ${failed} fails without any change`);
        } else if (tally !== undefined) {
          tally[failed === undefined ? "survived" : "killed"] += 1;
          if (failed === undefined) report(`survived in ${area}: ${mutant.file}:${mutant.line}: ${mutant.change}`);
        }
        if (queue.length % 20 === 0) report(`${total - queue.length} of ${total}`);
      }
    } finally {
      await runner.close();
    }
  };
  try {
    await Promise.all(Array.from({ length: RUNNERS }, serve));
  } finally {
    rmSync(program, { force: true });
  }
  return { tallies, violations };
}

interface Work {
  readonly area: string;
  readonly tests: readonly string[];
  readonly mutant: Mutant;
  /** Whether nothing was changed: then the tests must pass. */
  readonly isOriginal: boolean;
}

type Tallies = ReadonlyMap<string, { readonly killed: number; readonly survived: number }>;

function mutantsOf(area: string, { file, tests }: MutatedFile): readonly Work[] {
  return makeMutants(file, readFileSync(file, "utf8"))
    .filter(({ change }) => !Object.hasOwn(EQUIVALENT_MUTANTS, `${file}: ${change}`))
    .map((mutant) => ({ area, tests, mutant, isOriginal: false }));
}

function originalsOf(chosen: readonly Work[]): readonly Work[] {
  const files = new Map(chosen.map((one) => [one.mutant.file, one]));
  return [...files.values()].map(({ area, tests, mutant }) => ({
    area,
    tests,
    mutant: { ...mutant, text: readFileSync(mutant.file, "utf8") },
    isOriginal: true,
  }));
}

function sample<T>(random: Random, all: readonly T[], count: number): readonly T[] {
  const left = [...all];
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(random.integer(0, left.length - 1), 1),
  ).flat();
}

function figuresOf(tallies: Tallies): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...tallies].flatMap(([area, { killed, survived }]) => [
      [`${area}: killed`, killed],
      [`${area}: survived`, survived],
    ]),
  );
}

function faultsOf(tallies: Tallies, size: number): readonly string[] {
  const counts = [...tallies.values()];
  const killed = counts.reduce((sum, count) => sum + count.killed, 0);
  const survived = counts.reduce((sum, count) => sum + count.survived, 0);
  if (size < 1) {
    return killed / (killed + survived) < LEAST_SCORE_OF_A_PART ? [`${survived} of ${killed + survived} survived`] : [];
  }
  return [...tallies]
    .filter(([, count]) => count.killed / (count.killed + count.survived) < LEAST_SCORE)
    .map(([area, count]) => `${area}: ${count.survived} of ${count.killed + count.survived} survived`);
}

interface Runner {
  readonly run: (run: MutantRun) => Promise<MutantVerdict>;
  readonly close: () => Promise<void>;
}

/** A process that runs tests against mutants; one that hangs over a mutant is ended, and the next gets a new one. */
async function startRunner(program: string): Promise<Runner> {
  let child = await startChild(program);
  return {
    run: async (run) => {
      const answer = nextMessage(child);
      child.send(run);
      const verdict = await Promise.race([answer, sleep(HANG_MS).then(() => undefined)]);
      if (verdict !== undefined) return verdict as MutantVerdict; // of our own program
      answer.catch(() => undefined); // it will say that it was ended
      child.kill("SIGKILL"); // its PostgreSQL and its workers notice, and end too
      child = await startChild(program);
      return { failed: `no end within ${HANG_MS / 1_000} s` };
    },
    close: async () => {
      if (child.exitCode !== null) return;
      const closed = once(child, "exit");
      child.send("close");
      await closed;
    },
  };
}

async function startChild(program: string): Promise<ChildProcess> {
  const ours = /^(?:VITEST|TEST|NODE_ENV$|NODE_OPTIONS$)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
  const child = fork(program, { env, execArgv: [], stdio: ["ignore", "ignore", "ignore", "ipc"] });
  await nextMessage(child);
  return child;
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      child.off("exit", ended);
      child.off("message", told);
    };
    const ended = (code: number | null): void => {
      settle();
      reject(new Error(`the mutant runner ended with ${code ?? "a signal"}`));
    };
    const told = (message: unknown): void => {
      settle();
      resolve(message);
    };
    child.once("exit", ended).once("message", told);
  });
}
