import type { CellAttempt } from "@quarry/contract";
import {
  advanceWebsetSearch,
  countItemsOfGroup,
  countPassedOfSource,
  deleteWebsetItem,
  findCandidate,
  findHumanVerdict,
  findWebset,
  findWebsetItem,
  findWebsetSearch,
  judgeCandidate,
  updateWebsetItem,
  type JobCompletion,
  type JobHandler,
  type JobRun,
  type Transaction,
  type Webset,
  type WebsetCandidate,
  type WebsetEvaluation,
  type WebsetItem,
  type WebsetSearch,
} from "@quarry/store";
import { z } from "zod";
import type { Entity } from "../entities/entity.ts";
import type { Verdict } from "../judge/verdict.ts";
import { addItem, citeForItem } from "./add-item.ts";
import { bookUnit, NOTHING_SPENT, type UnitExpense } from "./allowance.ts";
import { gatherPages } from "./gather-pages.ts";
import { groupOf } from "./identities.ts";
import { enqueueVerdicts } from "./jobs.ts";
import { placeReferences } from "./place-references.ts";
import { runUnit } from "./run-unit.ts";
import { lockSearch } from "./search-job.ts";
import { endSearch, goOn } from "./settle-webset.ts";
import { archiveReplaced, keepHuman, otherHuman } from "./verdict-history.ts";
import type { StoredPage, WebsetsDeps } from "./websets-deps.ts";

const payloadSchema = z.object({ searchId: z.string(), candidateId: z.number(), criterion: z.number() });

/**
 * Does the jobs of kind `webset-verdict`: one candidate by one criterion. A yes leads to the next criterion, and after the
 * last to an item; anything else ends the candidate. What was judged already is not judged again.
 */
export function createWebsetVerdictHandler(deps: WebsetsDeps): JobHandler {
  return runUnit(
    deps.clock,
    async (run) => {
      const unit = await findUnit(deps, run);
      return unit === undefined ? run.complete() : judge(deps, run, unit);
    },
    async (run, error) => {
      const unit = await findUnit(deps, run);
      if (unit === undefined) return run.complete();
      deps.onGivenUp?.({ kind: "verdict", id: String(unit.candidate.id), error: error.message });
      const reasoning = `It could not be judged: ${error.message}`;
      return write(deps, run, unit, { satisfied: "unclear", reasoning, references: [] }, [], {
        outcome: "given-up",
        ...NOTHING_SPENT,
      });
    },
  );
}

interface VerdictUnit {
  readonly webset: Webset;
  readonly search: WebsetSearch;
  readonly candidate: WebsetCandidate;
  readonly index: number;
  readonly criterion: string;
}

/** The unit of a job; undefined when it is done, or nobody wants it any more. A paused webset's units wait. */
async function findUnit(deps: WebsetsDeps, run: JobRun): Promise<VerdictUnit | undefined> {
  const { searchId, candidateId, criterion: index } = payloadSchema.parse(run.job.payload);
  const search = await findWebsetSearch(deps.database, searchId);
  if (search?.status !== "running") return undefined;
  const webset = await findWebset(deps.database, search.teamId, search.websetId);
  const candidate = await findCandidate(deps.database, candidateId);
  const criterion = search.criteria[index];
  if (webset === undefined || webset.pausedAt !== null || criterion === undefined) return undefined;
  if (candidate?.state !== "open" || candidate.evaluations.length !== index) return undefined;
  return { webset, search, candidate, index, criterion: criterion.description };
}

type Judged = Pick<WebsetEvaluation, "satisfied" | "reasoning" | "references" | "human" | "attempts">;

/** Attempts that are kept of one verdict: a monitor may judge an item anew every day. */
const MOST_ATTEMPTS = 20;

async function judge(deps: WebsetsDeps, run: JobRun, unit: VerdictUnit): Promise<JobCompletion> {
  const { webset, candidate, criterion } = unit;
  const earlier = await findEarlierVerdict(deps, unit);
  if (earlier?.human !== undefined) return write(deps, run, unit, earlier, []);
  const allowance = await bookUnit(deps, webset.id, run.signal);
  if (allowance === undefined) {
    return run.complete(async (tx) => {
      const current = await lockSearch(tx, unit.search.id);
      if (current?.search.status === "running") await endSearch(deps, tx, current.webset, current.search, "caps");
    });
  }
  const entity = candidate.entity as unknown as Entity;
  const fetch = candidate.source === "import" || candidate.scopeId !== null;
  const {
    pages,
    result: verdict,
    expense,
  } = await allowance.spend(
    () => gatherPages(deps, { teamId: webset.teamId, entity, question: criterion, fetch }, run.signal),
    (found) =>
      deps.judges.judgeCriterion({
        entity,
        criterion,
        pages: found,
        now: deps.clock.now(),
        llm: allowance.llm,
        embed: deps.embed,
        signal: run.signal,
      }),
  );
  const judged = withEvidence(verdict, pages);
  const outcome = judged.satisfied === "unclear" ? "empty" : "filled";
  return write(deps, run, unit, { ...judged, attempts: earlier?.attempts ?? [] }, pages, { outcome, ...expense });
}

/** A verdict whose quotes really stand in the pages; a yes or a no without one is no verdict. */
function withEvidence(verdict: Verdict, pages: readonly StoredPage[]): Judged {
  const references = placeReferences(verdict.references, pages);
  if (verdict.satisfied === "unclear" || references.length > 0) {
    return { satisfied: verdict.satisfied, reasoning: verdict.reasoning, references };
  }
  return { satisfied: "unclear", reasoning: `${verdict.reasoning} (No quote supports it.)`, references: [] };
}

/**
 * What was said of an item by the same criterion when it is judged again; what a person said then holds, also when the item
 * was dropped meanwhile or judged by other criteria.
 */
async function findEarlierVerdict(
  deps: WebsetsDeps,
  { webset, candidate, criterion }: VerdictUnit,
): Promise<WebsetEvaluation | undefined> {
  const item = candidate.itemId === null ? undefined : await findWebsetItem(deps.database, candidate.itemId);
  const { entityKey } = candidate;
  return (
    item?.evaluations.find((one) => one.criterion === criterion) ??
    (await findHumanVerdict(deps.database, { websetId: webset.id, entityKey, criterion }))
  );
}

/** Writes a verdict and what follows from it: the next criterion, an item, or the end of the candidate. */
function write(
  deps: WebsetsDeps,
  run: JobRun,
  unit: VerdictUnit,
  judged: Judged,
  pages: readonly StoredPage[],
  attempt?: Pick<CellAttempt, "outcome"> & UnitExpense,
): Promise<JobCompletion> {
  return run.complete(async (tx) => {
    const current = await lockSearch(tx, unit.search.id);
    const candidate = await findCandidate(tx, unit.candidate.id);
    if (current?.search.status !== "running") return;
    if (candidate?.state !== "open" || candidate.evaluations.length !== unit.index) return;
    const { webset, search } = current;
    // A person may have decided something since the unit began, or since the criteria before it were judged.
    const item = candidate.itemId === null ? undefined : await findWebsetItem(tx, candidate.itemId);
    const { satisfied, reasoning, references, human, attempts = [] } = judged;
    const at = deps.clock.now().toISOString();
    const made = attempt && { round: (attempts.at(-1)?.round ?? 0) + 1, tries: run.job.attempts, ...attempt, at };
    const evaluation: WebsetEvaluation = {
      criterion: unit.criterion,
      satisfied,
      reasoning,
      references,
      ...(human !== undefined && { human }),
      attempts: [...attempts, ...(made === undefined ? [] : [made])].slice(-MOST_ATTEMPTS),
    };
    const evaluations = keepHuman(item, [...candidate.evaluations, evaluation]);
    const isMet = evaluations[unit.index]?.satisfied === "yes";
    const passes = evaluations.every((one) => one.satisfied === "yes");
    const criteria = search.criteria.map((criterion, index) =>
      index === unit.index
        ? { ...criterion, judged: criterion.judged + 1, yes: criterion.yes + (isMet ? 1 : 0) }
        : criterion,
    );
    const isLast = unit.index === search.criteria.length - 1;
    const now = deps.clock.now();
    if (passes && !isLast) {
      await judgeCandidate(tx, candidate.id, { state: "open", evaluations });
      await advanceWebsetSearch(tx, search.id, { criteria }, now);
      await enqueueVerdicts(tx, webset, search.id, [{ candidateId: candidate.id, criterion: unit.index + 1 }]);
      return;
    }
    const hasEntered = passes
      ? await enter(deps, tx, { webset, search, candidate, item, evaluations, pages })
      : await leave(deps, tx, webset, candidate);
    const state = !passes ? "rejected" : hasEntered || search.wantsRecall ? "passed" : "skipped";
    // The candidate outlives the item: here a person's word is found when the entity, or the criterion, comes again.
    await judgeCandidate(tx, candidate.id, { state, evaluations: [...evaluations, ...otherHuman(item, evaluations)] });
    const advanced = await advanceWebsetSearch(
      tx,
      search.id,
      { criteria, addAnalyzed: 1, addFound: hasEntered ? 1 : 0 },
      now,
    );
    await goOn(deps, tx, webset, advanced);
  });
}

interface Passing {
  readonly webset: Webset;
  readonly search: WebsetSearch;
  readonly candidate: WebsetCandidate;
  /** The item that the candidate is, when it is judged again and was not deleted meanwhile. */
  readonly item: WebsetItem | undefined;
  readonly evaluations: readonly WebsetEvaluation[];
  readonly pages: readonly StoredPage[];
}

/** Makes an item of a candidate that met every criterion, or keeps the one it is; false when there is no room for it. */
async function enter(deps: WebsetsDeps, tx: Transaction, passing: Passing): Promise<boolean> {
  const { webset, search, candidate, item, evaluations, pages } = passing;
  if (candidate.itemId !== null) {
    if (item === undefined) return false; // deleted while it was judged
    await archiveReplaced(tx, item, evaluations);
    await updateWebsetItem(tx, item.id, { evaluations }, deps.clock.now());
    await citeForItem(
      tx,
      item,
      evaluations.flatMap(({ references }) => references),
    );
    return true;
  }
  if (search.found >= search.count && candidate.source !== "import") return false;
  const entity = candidate.entity as unknown as Entity;
  const group = search.maxPeoplePerCompany === null ? null : groupOf(entity);
  if (group !== null && search.maxPeoplePerCompany !== null) {
    if ((await countItemsOfGroup(tx, webset.id, group)) >= search.maxPeoplePerCompany) return false;
  }
  const { scopeId, sourceEntityId } = candidate;
  const hop = search.scope.find((scope) => scope.id === scopeId)?.relationship;
  if (hop !== undefined && scopeId !== null && sourceEntityId !== null) {
    if ((await countPassedOfSource(tx, search.id, { scopeId, sourceEntityId })) >= hop.limit) return false;
  }
  const { entityKey, source, sourceId } = candidate;
  const entering = { entity, entityKey, source, sourceId, sourceEntityId, scopeId, evaluations, pages };
  return (await addItem(deps, tx, webset, entering)) !== undefined;
}

/** Drops the item that a failed candidate was; never counts as found. */
async function leave(deps: WebsetsDeps, tx: Transaction, webset: Webset, candidate: WebsetCandidate): Promise<boolean> {
  if (candidate.itemId !== null) await deleteWebsetItem(tx, webset.id, candidate.itemId, deps.clock.now());
  return false;
}
