import type { Flow, FlowResult, Plain } from "../flow.ts";
import type { WebsetState } from "../ports.ts";
import { toWorkflowItem, websetItemSchema, type WebsetItem } from "../project-item.ts";
import { checkCells, itemFitness, quoteFor } from "../pure/check-cells.ts";
import { sameHost } from "../pure/name-similarity.ts";
import type { WorkflowArgs } from "../workflow-args.ts";
import { unlessGone } from "./unless-gone.ts";

/** So many cells are looked up at most: each costs a search. */
const MAX_LOOKUPS = 60;
/** Pages looked at for a cell; those the cell was filled from are none of them. */
const PAGES_EACH = 5;
const FORMATS_TO_LOOK_UP: ReadonlySet<string> = new Set(["number", "email", "url", "date", "phone", "options"]);

/**
 * verify.enrichments, in three tiers: what an item is worth by its own evidence, whether an independent search says the
 * same as its cells, and how far each column can be trusted. Items below the mark are removed when asked.
 */
export async function verifyEnrichments(flow: Flow, args: WorkflowArgs<"verify.enrichments">): Promise<FlowResult> {
  const { websetId, minimumFitness, removeUnfit, limit } = args;
  await flow.tell({ step: "collect", completed: 0, total: 3 });
  const collected = await flow.step("collect", async (signal) => {
    const state = await flow.websets.get(flow.teamId, websetId, signal);
    const items = await flow.websets.items(flow.teamId, websetId, limit, signal);
    return {
      state,
      items: items.map((item) => ({ ...item, properties: { ...item.properties, content: undefined } })),
    } as unknown as Plain;
  });
  const { state, items: raw } = collected as unknown as {
    readonly state: WebsetState;
    readonly items: readonly unknown[];
  };
  const items = raw.map((item) => websetItemSchema.parse(item));
  const names = new Map(state.enrichments.map(({ id, description }) => [id, description]));
  await flow.tell({ step: "check cells", completed: 1, total: 3, message: `${items.length} items` });
  const checked = await checkAll(flow, items, names);

  const unfit = items.filter((item) => itemFitness(item) < minimumFitness);
  await flow.tell({ step: "remove", completed: 2, total: 3, message: `${unfit.length} unfit` });
  if (removeUnfit) {
    for (const { id } of unfit) {
      await flow.step(`remove ${id}`, (signal) =>
        unlessGone(flow.websets.removeItem(flow.teamId, websetId, id, signal)),
      );
    }
  }
  const kept = items.filter((item) => !unfit.includes(item));
  return {
    items: kept.map((item) => toWorkflowItem(item, names)) as unknown as Plain,
    websetId,
    fitness: items.map((item) => ({ id: item.id, fitness: itemFitness(item), isFit: !unfit.includes(item) })),
    cells: checked,
    calibration: [...names].map(([id, description]) => {
      const looked = checked.filter((cell) => cell.enrichment === description && cell.confirmed !== null);
      const confirmed = looked.filter((cell) => cell.confirmed === true).length;
      const filled = items.filter((item) =>
        checkCells(item).some((cell) => cell.enrichmentId === id && cell.isWellFormed),
      ).length;
      return {
        enrichment: description,
        filled,
        lookedUp: looked.length,
        confirmed,
        trust: looked.length === 0 ? null : confirmed / looked.length,
      };
    }),
    removed: removeUnfit ? unfit.map(({ id }) => id) : [],
    _summary: `${kept.length} of ${items.length} items are fit; ${checked.filter(({ confirmed }) => confirmed === true).length} cells confirmed elsewhere`,
  };
}

interface CellReport {
  readonly [key: string]: Plain;
  readonly id: string;
  readonly enrichment: string;
  readonly isWellFormed: boolean;
  readonly hasReference: boolean;
  /** Null when it was not looked up. */
  readonly confirmed: boolean | null;
  /** The page of another source that says the same, and where it does. */
  readonly evidence: Evidence | null;
}

interface Evidence {
  readonly [key: string]: Plain;
  readonly url: string;
  readonly quote: string;
}

async function checkAll(
  flow: Flow,
  items: readonly WebsetItem[],
  names: ReadonlyMap<string, string>,
): Promise<readonly CellReport[]> {
  const reports: CellReport[] = [];
  let lookups = 0;
  for (const item of items) {
    const { name } = toWorkflowItem(item, names);
    for (const cell of checkCells(item)) {
      const enrichment = names.get(cell.enrichmentId) ?? cell.enrichmentId;
      const format = item.enrichments?.find(({ enrichmentId }) => enrichmentId === cell.enrichmentId)?.format ?? "text";
      const { value } = cell;
      const isWorth =
        value !== undefined && cell.isWellFormed && FORMATS_TO_LOOK_UP.has(format) && lookups < MAX_LOOKUPS;
      if (isWorth) lookups += 1;
      const own = [item.properties.url, ...cell.sources];
      const evidence = isWorth
        ? await lookUp(flow, `look up ${item.id} ${cell.enrichmentId}`, { query: `${name} ${enrichment}`, value, own })
        : null;
      const confirmed = isWorth ? evidence !== null : null;
      const { isWellFormed, hasReference } = cell;
      reports.push({ id: item.id, enrichment, isWellFormed, hasReference, confirmed, evidence });
    }
  }
  return reports;
}

/**
 * Looks for the value where the cell did not come from: on pages of other hosts than the item's own and its references'. The
 * quote stands in the text of the page as it is stored.
 */
function lookUp(
  flow: Flow,
  step: string,
  cell: { readonly query: string; readonly value: string; readonly own: readonly string[] },
): Promise<Evidence | null> {
  return flow.step(step, async (signal) => {
    const query = `${cell.query} ${cell.value}`;
    const found = await flow.retrieval.search(flow.teamId, { query, limit: PAGES_EACH }, signal);
    const outside = found.map(({ url }) => url).filter((url) => !cell.own.some((known) => sameHost(known, url)));
    if (outside.length === 0) return null;
    for (const { url, text } of await flow.retrieval.read(flow.teamId, outside, signal)) {
      const quote = quoteFor(cell.value, text);
      if (quote !== undefined) return { url, quote };
    }
    return null;
  });
}
