/** What came of one POST to a receiver. */
export type ReceiverAnswer =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** The beginning of it. */
      readonly body: string;
    }
  | { readonly kind: "no-answer"; readonly error: string };

/** What follows from an attempt. */
export interface Verdict {
  readonly state: "delivered" | "dead" | "waiting";
  /** When to try again, for `waiting`. */
  readonly dueAt: Date;
  /** The receiver wants no more events at all. */
  readonly isGone: boolean;
  /** What was wrong, in a sentence; null for a success. */
  readonly error: string | null;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long to wait before the first try, the second and so on; after the last the delivery is dead. Some 75 hours in all. */
export const RETRY_DELAYS_MS: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Up to this part is added to a delay, so that what failed together does not come back together. */
export const RETRY_JITTER = 0.1;

/** A receiver may put us off, but not for ever. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;

/**
 * Decides about a delivery after its attempt `number` (from 1): any 2xx is success, everything else failure, redirects
 * too. 410 means the receiver is gone. 429 and 503 may name a time before which no retry comes. `random` is from 0 to 1.
 */
export function judgeAttempt(
  answer: ReceiverAnswer,
  attempt: { readonly number: number; readonly now: Date; readonly random: number },
): Verdict {
  const { number, now, random } = attempt;
  const error = describeFailure(answer);
  if (error === null) return { state: "delivered", dueAt: now, isGone: false, error };
  const isGone = answer.kind === "answered" && answer.status === 410;
  const delayMs = RETRY_DELAYS_MS[number];
  if (isGone || delayMs === undefined) return { state: "dead", dueAt: now, isGone, error };
  const waitMs = Math.max(delayMs * (1 + RETRY_JITTER * random), retryAfterMs(answer, now));
  return { state: "waiting", dueAt: new Date(now.getTime() + Math.ceil(waitMs)), isGone, error };
}

function describeFailure(answer: ReceiverAnswer): string | null {
  if (answer.kind === "no-answer") return answer.error;
  const { status } = answer;
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `answered ${status}: redirects are not followed, set the final URL`;
  if (status === 410)
    return "answered 410: the receiver wants no more events; change the webhook to make it active again";
  return `answered ${status}; any 2xx would have been a success`;
}

function retryAfterMs(answer: ReceiverAnswer, now: Date): number {
  if (answer.kind !== "answered" || (answer.status !== 429 && answer.status !== 503)) return 0;
  const value = answer.headers["retry-after"]?.trim() ?? "";
  const wishMs = /^\d{1,9}$/.test(value) ? Number(value) * SECOND : Date.parse(value) - now.getTime();
  return Number.isNaN(wishMs) ? 0 : Math.min(Math.max(wishMs, 0), MAX_RETRY_AFTER_MS);
}
