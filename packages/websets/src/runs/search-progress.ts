import type { WebsetCriterion, WebsetSearch } from "@quarry/store";

/** Candidates that a search judges for each item it is asked for, at most. */
export const CANDIDATES_PER_ITEM = 50;
/** Candidates that a search judges at most, whatever it is asked for. */
export const MAX_CANDIDATES = 50_000;

/** How far a search has come, as the wire shows it. */
export interface ShownProgress {
  readonly found: number;
  readonly analyzed: number;
  readonly completion: number;
  readonly timeLeft: number | null;
}

type Counted = Pick<
  WebsetSearch,
  | "status"
  | "found"
  | "count"
  | "analyzed"
  | "candidates"
  | "step"
  | "plan"
  | "wantsRecall"
  | "startedAt"
  | "finishedAt"
>;

/** The most candidates that a search judges. */
export function candidateLimit(count: number): number {
  return Math.min(count * CANDIDATES_PER_ITEM, MAX_CANDIDATES);
}

/** How far a search has come: the further of items found and of the way through its candidates, and 100 when it is over. */
export function progressOf(search: Counted, now: Date): ShownProgress {
  const { found, analyzed } = search;
  if (search.status === "completed") return { found, analyzed, completion: 100, timeLeft: 0 };
  const share = shareDone(search);
  const completion = Math.min(99, Math.floor(share * 100));
  return { found, analyzed, completion, timeLeft: timeLeft(search, share, now) };
}

function shareDone(search: Counted): number {
  const steps = search.plan?.length ?? 0;
  const within = search.candidates === 0 ? 0 : search.analyzed / search.candidates;
  const ofSteps = steps === 0 ? 0 : Math.max(0, search.step - 1 + within) / steps;
  const ofItems = search.wantsRecall ? 0 : search.found / search.count;
  return Math.min(1, Math.max(ofSteps, ofItems));
}

/** Candidates that must be judged before a guess at the time left is better than none. */
const CALIBRATION = 3;

function timeLeft(search: Counted, share: number, now: Date): number | null {
  if (search.status !== "running" || search.startedAt === null) return null;
  if (search.analyzed < CALIBRATION || share <= 0) return null;
  const elapsedSeconds = (now.getTime() - search.startedAt.getTime()) / 1000;
  return Math.max(0, Math.round((elapsedSeconds / share) * (1 - share)));
}

/** How many of a hundred candidates met a criterion. */
export function successRate({ judged, yes }: WebsetCriterion): number {
  return judged === 0 ? 0 : Math.round((yes / judged) * 1000) / 10;
}
