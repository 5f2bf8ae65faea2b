/** A clock that moves only when told to. */
export interface FakeClock {
  readonly now: () => Date;
  readonly advance: (milliseconds: number) => void;
}

/** Starts at a fixed instant, so that dates in expectations can be literal. */
export function fakeClock(start = "2026-03-01T12:00:00.000Z"): FakeClock {
  let now = new Date(start).getTime();
  return {
    now: () => new Date(now),
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}
