import type { CellAttempt } from "@quarry/contract";
import {
  fillWebsetCell,
  findWebset,
  findWebsetCell,
  findWebsetItem,
  getWebsetEnrichment,
  isItemEnriched,
  lockWebset,
  recordCellAttempt,
  type CellFilling,
  type JobCompletion,
  type JobHandler,
  type JobRun,
  type OpenCell,
  type Webset,
  type WebsetEnrichment,
  type WebsetItem,
} from "@quarry/store";
import { z } from "zod";
import { citeForItem } from "./add-item.ts";
import { bookUnit, NOTHING_SPENT, type UnitExpense } from "./allowance.ts";
import { gatherPages } from "./gather-pages.ts";
import { placeReferences } from "./place-references.ts";
import { runUnit } from "./run-unit.ts";
import { tellIfIdle } from "./settle-webset.ts";
import { entityOfItem } from "./show-item.ts";
import { tellItems } from "./tell-webset.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

const payloadSchema = z.object({ itemId: z.string(), enrichmentId: z.string(), round: z.number() });

const NOT_FOUND_OUT = "It could not be found out:";
const NOT_LOOKED_FOR = "It was not looked for:";

/** How the reasoning of a cell begins whose filling was given up: what "retry failed" means. */
export const FAILURE_WORDS = [NOT_FOUND_OUT, NOT_LOOKED_FOR] as const;

/** Does the jobs of kind `webset-cell`: one enrichment of one item. A cell that is filled is not filled again. */
export function createWebsetCellHandler(deps: WebsetsDeps): JobHandler {
  return runUnit(
    deps.clock,
    async (run) => {
      const unit = await findUnit(deps, run);
      return unit === undefined ? run.complete() : fill(deps, run, unit);
    },
    async (run, error) => {
      const unit = await findUnit(deps, run);
      if (unit === undefined) return run.complete();
      deps.onGivenUp?.({ kind: "cell", id: `${unit.item.id} ${unit.enrichment.id}`, error: error.message });
      return write(deps, run, unit, empty(`${NOT_FOUND_OUT} ${error.message}`), {
        outcome: "given-up",
        ...NOTHING_SPENT,
      });
    },
  );
}

interface CellUnit {
  readonly webset: Webset;
  readonly item: WebsetItem;
  readonly enrichment: WebsetEnrichment;
  readonly cell: OpenCell;
}

/** The unit of a job; undefined when it is done, or nobody wants it any more. A paused webset's units wait. */
async function findUnit(deps: WebsetsDeps, run: JobRun): Promise<CellUnit | undefined> {
  const cell = payloadSchema.parse(run.job.payload);
  const open = await findWebsetCell(deps.database, cell.itemId, cell.enrichmentId);
  const item = await findWebsetItem(deps.database, cell.itemId);
  if (open?.status !== "pending" || open.round !== cell.round || item === undefined) return undefined;
  const webset = await findWebset(deps.database, item.teamId, item.websetId);
  if (webset === undefined || webset.pausedAt !== null) return undefined;
  const enrichment = await getWebsetEnrichment(deps.database, webset.id, cell.enrichmentId);
  return { webset, item, enrichment, cell };
}

async function fill(deps: WebsetsDeps, run: JobRun, unit: CellUnit): Promise<JobCompletion> {
  const { webset, item, enrichment } = unit;
  const allowance = await bookUnit(deps, webset.id, run.signal);
  if (allowance === undefined) {
    const reason = `${NOT_LOOKED_FOR} a cap of the webset is reached.`;
    return write(deps, run, unit, empty(reason), { outcome: "given-up", ...NOTHING_SPENT });
  }
  const entity = entityOfItem(item);
  const question = enrichment.description;
  const fetch = item.source === "import";
  const { description, format, options, instructions } = enrichment;
  const {
    pages,
    result: value,
    expense,
  } = await allowance.spend(
    () => gatherPages(deps, { teamId: webset.teamId, entity, question, fetch }, run.signal),
    (found) =>
      deps.judges.fillCell({
        entity,
        enrichment: { description, format, options, instructions },
        pages: found,
        llm: allowance.llm,
        signal: run.signal,
      }),
  );
  const references = placeReferences(value.references, pages);
  const isSupported = value.result !== null && references.length > 0;
  const reasoning =
    value.result !== null && !isSupported ? `${value.reasoning} (No quote supports it.)` : value.reasoning;
  const filling = { result: isSupported ? value.result : null, reasoning, references, human: null };
  return write(deps, run, unit, filling, { outcome: isSupported ? "filled" : "empty", ...expense });
}

function empty(reasoning: string): CellFilling {
  return { result: null, reasoning, references: [], human: null };
}

function write(
  deps: WebsetsDeps,
  run: JobRun,
  unit: CellUnit,
  filling: CellFilling,
  attempt: Pick<CellAttempt, "outcome"> & UnitExpense,
): Promise<JobCompletion> {
  return run.complete(async (tx) => {
    const webset = await lockWebset(tx, unit.webset.id);
    if (webset === undefined) return;
    if (!(await fillWebsetCell(tx, unit.cell, filling, deps.clock.now()))) return;
    const { round } = unit.cell;
    const at = deps.clock.now().toISOString();
    await recordCellAttempt(tx, unit.cell, { round, tries: run.job.attempts, ...attempt, at });
    await citeForItem(tx, unit.item, filling.references);
    if (!(await isItemEnriched(tx, unit.item.id))) return;
    const item = await findWebsetItem(tx, unit.item.id);
    if (item !== undefined) await tellItems(deps, tx, "webset.item.enriched", [item]);
    await tellIfIdle(deps, tx, webset);
  });
}
