import { isRecord } from "../../api/send.ts";
import { readPlaygroundSearch } from "./playground-search.ts";
import type { RequestInput } from "./request.ts";

/** A request that was sent from this browser. */
export interface PastRequest {
  readonly op: string;
  readonly input: RequestInput;
  readonly status: number;
  readonly at: string;
}

const KEPT_AS = "quarry.requests";
const MOST_KEPT = 30;
const LONGEST_KEPT = 20_000;

/** The requests kept in this browser, newest first; what is not understood is left out. */
export function readHistory(kept: string | null): readonly PastRequest[] {
  try {
    const list: unknown = JSON.parse(kept ?? "[]");
    return Array.isArray(list) ? list.flatMap(readPast) : [];
  } catch {
    return []; // not ours
  }
}

/** The history with a request put in front; the same one again moves up. */
export function addToHistory(history: readonly PastRequest[], past: PastRequest): readonly PastRequest[] {
  const same = JSON.stringify([past.op, past.input]);
  if (same.length > LONGEST_KEPT) return history;
  return [past, ...history.filter(({ op, input }) => JSON.stringify([op, input]) !== same)].slice(0, MOST_KEPT);
}

/** Reads this browser's history. */
export function loadHistory(): readonly PastRequest[] {
  return readHistory(localStorage.getItem(KEPT_AS));
}

/** Keeps it. */
export function keepHistory(history: readonly PastRequest[]): void {
  localStorage.setItem(KEPT_AS, JSON.stringify(history));
}

function readPast(raw: unknown): readonly PastRequest[] {
  if (!isRecord(raw)) return [];
  const { op, input } = readPlaygroundSearch(raw);
  const { status, at } = raw;
  if (op === undefined || input === undefined || typeof status !== "number" || typeof at !== "string") return [];
  return [{ op, input, status, at }];
}
