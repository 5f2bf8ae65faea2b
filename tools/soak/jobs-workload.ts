import type { NewJob } from "@quarry/store";
import type { Random } from "./random.ts";

/** What one soak job does; a type, not an interface, so that it counts as JSON. */
export type SoakPayload = {
  /** Its identity in the proof: the effect of each number must be there once. */
  readonly number: number;
  /** How long it thinks before its transaction, and how long it lingers inside. */
  readonly thinkMs: number;
  readonly lingerMs: number;
  /** Tries that fail by themselves. */
  readonly failures: number;
  /** Enqueued in the completing transaction. */
  readonly followUp: SoakPayload | null;
};

/** Everything the soak enqueues. */
export interface Workload {
  readonly jobs: readonly NewJob[];
  /** Numbers of the jobs and their follow-ups. */
  readonly numbers: readonly number[];
}

const KEYS = 12;
const MAX_ATTEMPTS = 200;

/** The most jobs of a key that may run at once. */
export function limitOfKey(key: string): number {
  return 1 + (Number(key.slice(KEY_PREFIX.length)) % 3);
}

const KEY_PREFIX = "host-";

/** Makes `total` jobs, follow-ups included: some with a key, a delay, a priority, failures of their own. */
export function makeWorkload(random: Random, total: number, firstNumber = 0): Workload {
  const jobs: NewJob[] = [];
  const numbers: number[] = [];
  const makePayload = (followUp: SoakPayload | null): SoakPayload => {
    const number = firstNumber + numbers.length;
    numbers.push(number);
    const failures = random.chance(0.05) ? random.integer(1, 2) : 0;
    return { number, thinkMs: random.integer(0, 60), lingerMs: random.integer(0, 15), failures, followUp };
  };
  while (numbers.length < total) {
    const hasFollowUp = random.chance(0.1) && numbers.length + 1 < total;
    const payload = makePayload(hasFollowUp ? makePayload(null) : null);
    const key = `${KEY_PREFIX}${random.integer(0, KEYS - 1)}`;
    jobs.push({
      kind: random.pick(["soak-a", "soak-b", "soak-c"]),
      payload,
      maxAttempts: MAX_ATTEMPTS,
      priority: random.integer(-1, 1),
      ...(random.chance(0.4) ? { key, maxPerKey: limitOfKey(key) } : {}),
      ...(random.chance(0.1) ? { runAt: new Date(Date.now() + random.integer(0, 3_000)) } : {}),
    });
  }
  return { jobs, numbers };
}
