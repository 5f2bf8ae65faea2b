import type { WebsetExplanationWire } from "@quarry/contract";
import { listRejectedCandidates, type Queryable } from "@quarry/store";
import type { Entity } from "../entities/entity.ts";

/** Candidates that are named at most. */
const MOST_NAMED = 50;

/** The candidates that a webset's searches turned down, each with the verdict that did it. */
export async function listTurnedDown(db: Queryable, websetId: string): Promise<WebsetExplanationWire["turnedDown"]> {
  const candidates = await listRejectedCandidates(db, websetId, MOST_NAMED);
  return candidates.flatMap(({ entity, searchId, evaluations }) => {
    const { name, url } = entity as unknown as Entity;
    const verdict = evaluations.find(({ satisfied }) => satisfied !== "yes");
    if (verdict === undefined || verdict.satisfied === "yes") return [];
    const { criterion, satisfied, reasoning } = verdict;
    return [{ name, url, searchId, criterion, satisfied, reasoning }];
  });
}
