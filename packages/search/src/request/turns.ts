/**
 * A request's turn among others. It begins with one, finds and ranks in it, and gives it back before it waits for other
 * servers: a slow one then keeps nobody else from searching.
 */
export interface Turns {
  /** Waits for a turn, unless the request has it. Rejects with a retryable `unavailable` when there is no room. */
  readonly take: () => Promise<void>;
  /** Gives the turn back, and runs what waits for other servers among others of its kind. */
  readonly outside: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Runs what waits for other servers; without turns, just so. */
export function runOutside<T>(turns: Turns | undefined, work: () => Promise<T>): Promise<T> {
  return turns === undefined ? work() : turns.outside(work);
}
