import type { Caller, PriceList } from "@quarry/contract";
import type { SearchDeps, Turns } from "@quarry/search";
import { SHARED_TEAM } from "@quarry/store";
import type { Admit } from "./search-admission.ts";

/** What each of the search routes gets. */
export interface AdmittedDeps {
  readonly search: SearchDeps;
  readonly prices: PriceList;
  readonly admit: Admit;
}

/** What the routes that search get: `admit` is for finding, `admitReading` for waiting on other servers. */
export interface SearchingDeps extends AdmittedDeps {
  readonly admitReading: Admit;
}

/** Searches when it is this caller's turn; while it waits for other servers, others search. */
export function admitSearch<T>(
  { search, admit, admitReading }: SearchingDeps,
  work: (search: SearchDeps) => Promise<T>,
  context: Parameters<typeof admissionOf>[0],
): Promise<T> {
  const asked = admissionOf(context);
  return admit(({ take, giveBack }) => {
    const outside: Turns["outside"] = (waiting) => {
      giveBack();
      return admitReading(waiting, asked);
    };
    return work({ ...search, turns: { take, outside } });
  }, asked);
}

/** Whose pages a caller may find: the team's own first, then those that are everyone's. */
export function teamsOf({ teamId }: Pick<Caller, "teamId">): readonly string[] {
  return [teamId, SHARED_TEAM];
}

/** Who waits for a turn: each key, or the team where no key was shown. */
export function admissionOf({ caller, signal }: { readonly caller: Caller; readonly signal: AbortSignal }): {
  readonly who: string;
  readonly signal: AbortSignal;
} {
  return { who: caller.keyId ?? caller.teamId, signal };
}

/** Milliseconds since `began`, as replies tell them. */
export function elapsed(began: number): number {
  return Math.round((performance.now() - began) * 10) / 10;
}
