import { AppError } from "@quarry/base";
import { limitLlm } from "@quarry/models";
import {
  advanceWebsetSearch,
  bookExpense,
  findCandidatesByKey,
  findKnownIdentities,
  findWebset,
  findWebsetSearch,
  insertCandidates,
  listWebsetSearches,
  lockWebset,
  type JobCompletion,
  type JobHandler,
  type JobRun,
  type Json,
  type NewCandidate,
  type Transaction,
  type Webset,
  type WebsetSearch,
} from "@quarry/store";
import { z } from "zod";
import type { Entity, EntityKind } from "../entities/entity.ts";
import { mergeEntities } from "../entities/find-entities.ts";
import { TOKENS_PER_UNIT } from "./allowance.ts";
import { collectCandidates, kindOf } from "./collect-candidates.ts";
import { countGiven, isGiven, planSteps, readSteps } from "./collect-step.ts";
import { excludedIdentities } from "./excluded.ts";
import { identitiesOf } from "./identities.ts";
import { enqueueSearch, enqueueVerdicts } from "./jobs.ts";
import { runUnit } from "./run-unit.ts";
import { candidateLimit } from "./search-progress.ts";
import { endSearch, goOn, startSearches } from "./settle-webset.ts";
import { tellSearches } from "./tell-webset.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

const payloadSchema = z.object({ searchId: z.string() });

/**
 * Does the jobs of kind `webset-search`: each takes a search one step further (start it, understand its query, collect the
 * candidates of one step) and leaves the next job behind in the same transaction.
 */
export function createWebsetSearchHandler(deps: WebsetsDeps): JobHandler {
  return runUnit(
    deps.clock,
    async (run) => {
      const { searchId } = payloadSchema.parse(run.job.payload);
      const place = await findPlace(deps, searchId);
      if (place === undefined || place.webset.pausedAt !== null) return run.complete();
      const { webset, search } = place;
      switch (search.status) {
        case "completed":
        case "canceled":
          return run.complete();
        case "created":
        case "pending":
          return run.complete(async (tx) => {
            const locked = await lockWebset(tx, webset.id);
            if (locked !== undefined) await startSearches(deps, tx, locked);
          });
        case "running":
          return search.plan === null ? understand(deps, run, place) : collect(deps, run, place);
      }
    },
    (run, error) =>
      run.complete(async (tx) => {
        const { searchId } = payloadSchema.parse(run.job.payload);
        const current = await lockSearch(tx, searchId);
        if (current?.search.status !== "running") return;
        deps.onGivenUp?.({ kind: "search", id: searchId, error: error.message });
        await endSearch(deps, tx, current.webset, current.search, "failed", error.message);
      }),
  );
}

interface Place {
  readonly webset: Webset;
  readonly search: WebsetSearch;
}

async function findPlace(deps: WebsetsDeps, searchId: string): Promise<Place | undefined> {
  const search = await findWebsetSearch(deps.database, searchId);
  const webset = search === undefined ? undefined : await findWebset(deps.database, search.teamId, search.websetId);
  return search === undefined || webset === undefined ? undefined : { webset, search };
}

/** A search as it is under the webset's lock; undefined when either is gone. */
export async function lockSearch(tx: Transaction, searchId: string): Promise<Place | undefined> {
  const found = await findWebsetSearch(tx, searchId);
  const webset = found === undefined ? undefined : await lockWebset(tx, found.websetId);
  const search = webset === undefined ? undefined : await findWebsetSearch(tx, searchId);
  return search === undefined || webset === undefined ? undefined : { webset, search };
}

async function understand(deps: WebsetsDeps, run: JobRun, { webset, search }: Place): Promise<JobCompletion> {
  const mayAsk = await bookExpense(deps.database, webset.id, { tokens: deps.llm === undefined ? 0 : TOKENS_PER_UNIT });
  const llm = mayAsk && deps.llm !== undefined ? limitLlm(deps.llm, { maxTokens: TOKENS_PER_UNIT }) : undefined;
  const outcome = await deps.judges.understandQuery({
    query: search.query,
    entity: search.entity === null ? undefined : (search.entity as unknown as EntityKind),
    criteria: search.criteria.length === 0 ? undefined : search.criteria,
    llm,
    signal: run.signal,
  });
  if (outcome.kind === "not-understood") throw new AppError("unprocessable", outcome.reason);
  const all = await listWebsetSearches(deps.database, webset.id);
  const steps = planSteps(search, webset, outcome, all[0]?.id === search.id);
  return run.complete(async (tx) => {
    const current = await lockSearch(tx, search.id);
    if (current?.search.status !== "running" || current.search.plan !== null) return;
    const understood = { entity: outcome.entity as unknown as Json, criteria: outcome.criteria };
    const plan = steps as unknown as readonly Json[];
    const planned = await advanceWebsetSearch(tx, search.id, { understood, plan }, deps.clock.now());
    if (llm !== undefined) await bookExpense(tx, webset.id, { tokens: llm.spent().tokens - TOKENS_PER_UNIT });
    await tellSearches(deps, tx, "webset.search.updated", [planned]);
    await goOn(deps, tx, current.webset, planned);
  });
}

async function collect(deps: WebsetsDeps, run: JobRun, place: Place): Promise<JobCompletion> {
  const { webset, search } = place;
  const steps = readSteps(search.plan ?? []);
  const step = steps[search.step];
  if (step === undefined) return run.complete((tx) => continueSearch(deps, tx, search.id));
  const collected = await collectCandidates(deps, place, step, run.signal);
  if (collected.kind === "not-yet") {
    const runAt = new Date(deps.clock.now().getTime() + collected.lookAgainMs);
    return run.complete((tx) => enqueueSearch(tx, webset, search.id, runAt));
  }
  return run.complete(async (tx) => {
    const current = await lockSearch(tx, search.id);
    // Another worker may have done this part, or someone ended the search meanwhile.
    if (current?.search.status !== "running" || !isSamePart(current.search, search)) return;
    const now = deps.clock.now();
    const wanted = step.kind === "items" ? collected.candidates : await leaveOut(tx, current, collected.candidates);
    const room = Math.max(0, candidateLimit(search.count) + countGiven(steps) - current.search.candidates);
    const merged = await mergeKnown(tx, search.id, wanted);
    const ids = await insertCandidates(tx, search.id, merged.slice(0, isGiven(step) ? Infinity : room));
    const left = collected.rest ?? step;
    const done = isGiven(left) ? { ...left, taken: left.taken + ids.length } : left;
    const plan = steps.map((one, index) => (index === search.step ? done : one));
    const advanced = await advanceWebsetSearch(
      tx,
      search.id,
      {
        plan,
        step: collected.rest === undefined ? search.step + 1 : search.step,
        addCandidates: ids.length,
      },
      now,
    );
    await enqueueVerdicts(
      tx,
      webset,
      search.id,
      ids.map((candidateId) => ({ candidateId, criterion: 0 })),
    );
    await tellSearches(deps, tx, "webset.search.updated", [advanced]);
    await goOn(deps, tx, current.webset, advanced);
  });
}

async function continueSearch(deps: WebsetsDeps, tx: Transaction, searchId: string): Promise<void> {
  const current = await lockSearch(tx, searchId);
  if (current?.search.status === "running") await goOn(deps, tx, current.webset, current.search);
}

function isSamePart(current: WebsetSearch, done: WebsetSearch): boolean {
  return (
    current.step === done.step &&
    JSON.stringify(current.plan?.[current.step]) === JSON.stringify(done.plan?.[done.step])
  );
}

/**
 * Leaves out entities of excluded sources, and those that the webset has already. A search that estimates recall judges
 * these too: what it looks for includes them, and a list without them tells too little of how many there are.
 */
async function leaveOut(
  tx: Transaction,
  { webset, search }: Place,
  candidates: readonly NewCandidate[],
): Promise<readonly NewCandidate[]> {
  const named = candidates.map((candidate) => ({
    candidate,
    identities: identitiesOf(candidate.entity as unknown as Entity),
  }));
  const all = [...new Set(named.flatMap(({ identities }) => identities))];
  const excluded = await excludedIdentities(tx, {
    teamId: webset.teamId,
    kind: kindOf(search),
    sources: [...webset.excludes, ...search.exclude],
    identities: all,
  });
  const present = await findKnownIdentities(tx, [webset.id], all);
  const seen = await findCandidatesByKey(
    tx,
    search.id,
    candidates.map(({ entityKey }) => entityKey),
  );
  const seenKeys = new Set(seen.map(({ entityKey }) => entityKey));
  return named
    .filter(({ candidate, identities }) => {
      if (identities.some((identity) => excluded.has(identity))) return false;
      if (search.wantsRecall && present.has(candidate.entityKey)) return true;
      // What this search found before only notes that it was found again.
      return seenKeys.has(candidate.entityKey) || !identities.some((identity) => present.has(identity));
    })
    .map(({ candidate }) => candidate);
}

/** Joins entities with candidates of the search that are the same, so that each is judged once, from all its pages. */
async function mergeKnown(
  tx: Transaction,
  searchId: string,
  candidates: readonly NewCandidate[],
): Promise<readonly NewCandidate[]> {
  const keys = candidates.flatMap(({ entity, entityKey }) => [entityKey, ...(entity as unknown as Entity).sameAs]);
  const known = await findCandidatesByKey(tx, searchId, [...new Set(keys)]);
  const byKey = new Map(known.map((one) => [one.entityKey, one]));
  const result = new Map<string, NewCandidate>();
  for (const candidate of candidates) {
    const entity = candidate.entity as unknown as Entity;
    const same = [candidate.entityKey, ...entity.sameAs].find((key) => byKey.has(key) || result.has(key));
    const before = same === undefined ? undefined : (result.get(same) ?? byKey.get(same));
    if (same === undefined || before === undefined) {
      result.set(candidate.entityKey, candidate);
      continue;
    }
    const [joined] = mergeEntities([before.entity as unknown as Entity], [{ ...entity, key: same }]);
    const seenIn = [...new Set([...(result.get(same)?.seenIn ?? []), ...candidate.seenIn])];
    const merged = (joined ?? entity) as unknown as Json;
    result.set(same, { ...candidate, entityKey: same, entity: merged, seenIn });
  }
  return [...result.values()];
}
