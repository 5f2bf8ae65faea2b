import type { Join } from "./join-lenses.ts";

/** When a signal fires. */
export interface SignalWish {
  readonly requires: "all" | "any" | "threshold" | "combination";
  readonly min?: number | undefined;
  readonly combinations?: readonly (readonly string[])[] | undefined;
}

/** Whether the signal fires, and on which joins. */
export interface Signal {
  readonly fired: boolean;
  readonly joins: readonly string[];
  readonly reason: string;
}

/** What is different from the run before. */
export interface Delta {
  readonly newJoins: readonly string[];
  readonly lostJoins: readonly string[];
  /** How the signal moved. */
  readonly transition: "first" | "fired" | "cleared" | "still-on" | "still-off";
}

/** What a run leaves for the next. */
export interface RunMemory {
  readonly joins: readonly string[];
  readonly fired: boolean;
}

const DEFAULT_THRESHOLD = 2;

/** Fires when a join has all lenses, any join is there, at least `min` joins are, or a join has the lenses of a combination. */
export function evaluateSignal(joins: readonly Join[], lenses: readonly string[], wish: SignalWish): Signal {
  switch (wish.requires) {
    case "all": {
      const whole = joins.filter((join) => lenses.every((lens) => join.lenses.includes(lens)));
      return toSignal(whole, `${whole.length} joins show all ${lenses.length} lenses`);
    }
    case "any":
      return toSignal(joins, `${joins.length} joins`);
    case "threshold": {
      const min = wish.min ?? DEFAULT_THRESHOLD;
      const reason = `${joins.length} joins of at least ${min}`;
      return joins.length >= min ? toSignal(joins, reason) : { fired: false, joins: [], reason };
    }
    case "combination": {
      const combinations = wish.combinations ?? [];
      const matching = joins.filter((join) =>
        combinations.some((wanted) => wanted.length > 0 && wanted.every((lens) => join.lenses.includes(lens))),
      );
      return toSignal(matching, `${matching.length} joins show one of ${combinations.length} combinations`);
    }
  }
}

/** What joined and what left since the run before. */
export function compareRuns(before: RunMemory | undefined, now: RunMemory): Delta {
  const known = new Set(before?.joins ?? []);
  const present = new Set(now.joins);
  return {
    newJoins: now.joins.filter((key) => !known.has(key)),
    lostJoins: [...known].filter((key) => !present.has(key)),
    transition: before === undefined ? "first" : transitionOf(before.fired, now.fired),
  };
}

function transitionOf(before: boolean, now: boolean): Exclude<Delta["transition"], "first"> {
  if (before) return now ? "still-on" : "cleared";
  return now ? "fired" : "still-off";
}

function toSignal(joins: readonly Join[], reason: string): Signal {
  return { fired: joins.length > 0, joins: joins.map(({ key }) => key), reason };
}
