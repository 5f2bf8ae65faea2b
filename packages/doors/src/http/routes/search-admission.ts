import { AppError } from "@quarry/base";

/** How much work is taken on at once. */
export interface AdmissionLimits {
  readonly maxRunning: number;
  /** Those past `maxRunning` wait for their turn; those past this are sent away at once. */
  readonly maxWaiting: number;
  /** Who has waited so long is sent away too: an answer that comes too late is worth nothing. */
  readonly maxWaitMs: number;
}

/** The room that work has. It may give it back before its end, and then wait for room again; each twice is once. */
export interface Turn {
  readonly giveBack: () => void;
  readonly take: () => Promise<void>;
}

/**
 * Runs work when there is room for it. Rejects with a retryable `unavailable` when there is none. Those who wait get
 * their turns in a ring of `who`, so that nobody gets more by asking more.
 */
export type Admit = <T>(
  work: (turn: Turn) => Promise<T>,
  asked: { readonly who: string; readonly signal: AbortSignal },
) => Promise<T>;

const RETRY_AFTER_MS = 1_000;

interface Waiter {
  readonly enter: () => void;
  readonly refuse: () => void;
}

/**
 * Keeps an overloaded server quick and fair: it works on as many requests as it can finish, lets some wait, and refuses
 * the rest before it has spent anything on them. When there is no room to wait, those who have the most waiting give way.
 */
export function createAdmission(limits: AdmissionLimits): Admit {
  let running = 0;
  const room = createWaitingRoom();
  const leave = (): void => {
    running -= 1;
    room.next()?.enter();
  };
  const enter = async (who: string, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (running < limits.maxRunning && room.count() === 0) {
      running += 1;
      return;
    }
    if (room.count() >= limits.maxWaiting) {
      const last = room.lastOfLongest(who);
      if (last === undefined) throw overloaded();
      last.refuse();
    }
    await new Promise<void>((resolve, reject) => {
      const settle = (end: () => void): void => {
        room.remove(who, waiter);
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        end();
      };
      const waiter: Waiter = {
        enter: () =>
          settle(() => {
            running += 1;
            resolve();
          }),
        refuse: () => settle(() => reject(overloaded())),
      };
      const onAbort = (): void => settle(() => reject(new AppError("canceled", "the client left while it waited")));
      const timer = setTimeout(waiter.refuse, limits.maxWaitMs);
      room.add(who, waiter);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  };
  return async (work, { who, signal }) => {
    let isHeld = false;
    const take = async (): Promise<void> => {
      if (isHeld) return;
      await enter(who, signal);
      isHeld = true;
    };
    const giveBack = (): void => {
      if (isHeld) leave();
      isHeld = false;
    };
    await take();
    try {
      return await work({ take, giveBack });
    } finally {
      giveBack();
    }
  };
}

/** Those who wait, by who they are; whoever had a turn goes to the end of the ring. */
function createWaitingRoom() {
  const ring = new Map<string, Set<Waiter>>();
  let count = 0;
  return {
    count: () => count,
    add: (who: string, waiter: Waiter): void => {
      const own = ring.get(who);
      if (own === undefined) ring.set(who, new Set([waiter]));
      else own.add(waiter);
      count += 1;
    },
    remove: (who: string, waiter: Waiter): void => {
      const own = ring.get(who);
      if (own?.delete(waiter) !== true) return;
      count -= 1;
      if (own.size === 0) ring.delete(who);
    },
    /** Who has waited longest of those whose turn it is. */
    next: (): Waiter | undefined => {
      const [first] = ring;
      if (first === undefined) return undefined;
      const [who, own] = first;
      ring.delete(who);
      ring.set(who, own);
      return own.values().next().value;
    },
    /** The last to come of those who have the most waiting; undefined when that is `who`, or `who` has as many. */
    lastOfLongest: (who: string): Waiter | undefined => {
      const longest = [...ring.values()].reduce((most, own) => (own.size > most.size ? own : most), new Set<Waiter>());
      return longest.size <= (ring.get(who)?.size ?? 0) ? undefined : [...longest].at(-1);
    },
  };
}

function overloaded(): AppError {
  return new AppError("unavailable", "the server has more requests than it can answer; try again in a second", {
    retryable: true,
    retryAfterMs: RETRY_AFTER_MS,
  });
}
