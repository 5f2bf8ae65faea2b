import { setMaxListeners } from "node:events";

/** The parts of a request that have a time of their own. */
export type DialPhase = "connect" | "headers" | "body" | "total";

/** Why a deadline aborted its request. */
export class DialTimeoutError extends Error {
  readonly phase: DialPhase;
  readonly milliseconds: number;

  constructor(phase: DialPhase, milliseconds: number) {
    super(TIMEOUT_MESSAGES[phase](milliseconds));
    this.name = "DialTimeoutError";
    this.phase = phase;
    this.milliseconds = milliseconds;
  }
}

/** The clock of one request: it runs from the call to the last byte of the body. */
export interface Deadline {
  /** Aborts with a DialTimeoutError, or with the caller's reason. */
  readonly signal: AbortSignal;
  /** Starts the time of a phase; the one before ends. */
  readonly enter: (phase: DialPhase, milliseconds: number) => void;
  /** Ends the phase: until the next one only the total time runs. */
  readonly leave: () => void;
  /** Aborts for a reason of our own. */
  readonly abort: (reason: Error) => void;
  /** Stops all clocks and forgets the caller's signal. */
  readonly end: () => void;
}

/** Starts the total time; `onEnd` is called once, when the request is over. */
export function startDeadline(
  totalMs: number,
  callerSignal: AbortSignal,
  onEnd: (deadline: Deadline) => void,
): Deadline {
  const controller = new AbortController();
  let phaseTimer: NodeJS.Timeout | undefined;
  let hasEnded = false;

  const expire = (phase: DialPhase, milliseconds: number): void => {
    controller.abort(new DialTimeoutError(phase, milliseconds));
  };
  const follow = (): void => {
    const reason: unknown = callerSignal.reason;
    controller.abort(reason instanceof Error ? reason : new Error(String(reason)));
  };
  const leave = (): void => {
    clearTimeout(phaseTimer);
    phaseTimer = undefined;
  };
  const totalTimer = setTimeout(expire, totalMs, "total", totalMs);
  setMaxListeners(0, callerSignal); // many requests may share one signal; each takes its listener away again
  callerSignal.addEventListener("abort", follow, { once: true });

  const deadline: Deadline = {
    signal: controller.signal,
    enter: (phase, milliseconds) => {
      leave();
      phaseTimer = setTimeout(expire, milliseconds, phase, milliseconds);
    },
    leave,
    abort: (reason) => controller.abort(reason),
    end: () => {
      if (hasEnded) return;
      hasEnded = true;
      leave();
      clearTimeout(totalTimer);
      callerSignal.removeEventListener("abort", follow);
      onEnd(deadline);
    },
  };
  return deadline;
}

const TIMEOUT_MESSAGES: Readonly<Record<DialPhase, (milliseconds: number) => string>> = {
  connect: (milliseconds) => `no connection within ${milliseconds} ms`,
  headers: (milliseconds) => `no reply within ${milliseconds} ms`,
  body: (milliseconds) => `the body paused for more than ${milliseconds} ms`,
  total: (milliseconds) => `not finished within ${milliseconds} ms`,
};
