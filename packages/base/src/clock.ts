/** The time, as an argument: tests hand in one that they move. */
export interface Clock {
  readonly now: () => Date;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => new Date() };
