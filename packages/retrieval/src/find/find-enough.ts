import { AppError } from "@quarry/base";
import { MAX_HITS, type FindOptions } from "../search-index.ts";

/** What one try found; `isAll` when there is nothing more. */
export interface Found<Hit> {
  readonly hits: readonly Hit[];
  readonly isAll: boolean;
}

/** Tries with a larger limit when pages fell out after the engine had counted them. */
const MAX_TRIES = 4;
const GROWTH = 3;

/**
 * As many hits as asked for, each URL once, of the team that comes first in `teamIds`. Rows can drop out after the
 * engine counted them (replaced pages, a second team's copy, a page's other chunks), so it may take another try.
 */
export async function findEnough<Hit extends { readonly url: string; readonly teamId: string }>(
  teamIds: readonly string[],
  { limit, signal }: FindOptions,
  find: (limit: number) => Promise<Found<Hit>>,
): Promise<readonly Hit[]> {
  let wanted = limit;
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    const { hits, isAll } = await find(wanted);
    const once = teamIds.length > 1 ? eachUrlOnce(teamIds, hits) : hits;
    if (once.length >= limit || isAll || attempt === MAX_TRIES) return once.slice(0, limit);
    wanted *= GROWTH;
  }
}

/** Throws `invalid_request` unless the limit is 1 to MAX_HITS. */
export function checkLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_HITS) return;
  throw new AppError("invalid_request", `limit is ${limit}; ask for 1 to ${MAX_HITS} hits`);
}

function eachUrlOnce<Hit extends { readonly url: string; readonly teamId: string }>(
  teamIds: readonly string[],
  hits: readonly Hit[],
): readonly Hit[] {
  const owner = new Map<string, string>();
  for (const { url, teamId } of hits) {
    const known = owner.get(url);
    if (known === undefined || teamIds.indexOf(teamId) < teamIds.indexOf(known)) owner.set(url, teamId);
  }
  return hits.filter(({ url, teamId }) => owner.get(url) === teamId);
}
