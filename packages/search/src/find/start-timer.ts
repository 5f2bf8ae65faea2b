import type { StageTiming } from "./page-query.ts";

/** Measures stages that follow one another. */
export function startTimer(): {
  readonly lap: (stage: string) => void;
  readonly laps: () => readonly StageTiming[];
} {
  const laps: StageTiming[] = [];
  let began = performance.now();
  return {
    lap: (stage) => {
      const now = performance.now();
      laps.push({ stage, ms: now - began });
      began = now;
    },
    laps: () => [...laps],
  };
}
