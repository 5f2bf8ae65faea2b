import type { Json, Webset, WebsetSearch } from "@quarry/store";
import { z } from "zod";
import type { UnderstoodWebset } from "../understand/understood-query.ts";

const sourceShape = { source: z.enum(["import", "webset"]), id: z.string(), after: z.string().nullable() };

/** Candidates that the parts of a step that are done have brought. */
const taken = z.number().default(0);

const stepSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("items"), after: z.string().nullable(), taken }),
  z.object({ kind: z.literal("source"), role: z.enum(["import", "scope"]), ...sourceShape, taken }),
  z.object({
    kind: z.literal("related"),
    ...sourceShape,
    definition: z.string(),
    limit: z.number(),
  }),
  z.object({ kind: z.literal("site"), url: z.string(), crawlId: z.string() }),
  z.object({
    kind: z.literal("find"),
    query: z.string(),
    formulation: z.number(),
    /** Hosts whose pages an earlier part of the step has read. */
    readHosts: z.array(z.string()).default([]),
  }),
]);

/**
 * One step of collecting candidates. `items`: the webset's own, to be judged again. `source`: the entities of an import or
 * of another webset. `related`: entities related to those of a source. `site`: a site that the query names, crawled now.
 * `find`: one formulation of the query. Steps with `after` are done in parts.
 */
export type CollectStep = z.output<typeof stepSchema>;

/** Steps as the row keeps them; what this version cannot read is an error, for nothing would come of it. */
export function readSteps(plan: readonly Json[]): readonly CollectStep[] {
  return plan.map((step) => stepSchema.parse(step));
}

type GivenStep = Extract<CollectStep, { kind: "items" | "source" }>;

/** Whether a step brings what the webset was given, its own items or an import's rows: all of them are judged, whatever the count. */
export function isGiven(step: CollectStep): step is GivenStep {
  return step.kind === "items" || (step.kind === "source" && step.role === "import");
}

/** How many of a search's candidates the webset was given. */
export function countGiven(steps: readonly CollectStep[]): number {
  return steps.filter(isGiven).reduce((sum, step) => sum + step.taken, 0);
}

/** Sites of one query that are crawled at most. */
const MAX_NAMED_SITES = 5;

/**
 * The steps of a search, in their order: what is known first, then what must be found. The search that a webset was made
 * with finds no items to judge again: those that are there already came of an import since, as they are meant to.
 */
export function planSteps(
  search: Pick<WebsetSearch, "id" | "behavior" | "scope" | "createdAt">,
  webset: Pick<Webset, "itemCount" | "imports" | "createdAt">,
  understood: Pick<UnderstoodWebset, "formulations" | "namedSites">,
  isFirst: boolean,
): readonly CollectStep[] {
  const isOverride = search.behavior === "override" || search.scope.length > 0;
  const isMadeWithIt = search.createdAt.getTime() === webset.createdAt.getTime();
  const items: readonly CollectStep[] =
    isOverride && !isMadeWithIt && webset.itemCount > 0 ? [{ kind: "items", after: null, taken: 0 }] : [];
  const imports = isFirst ? webset.imports.filter(({ evaluate }) => evaluate) : [];
  const imported = imports.map(({ source, id }): CollectStep => ({
    kind: "source",
    role: "import",
    source,
    id,
    after: null,
    taken: 0,
  }));
  if (search.scope.length > 0) {
    const scoped = search.scope.map(({ source, id, relationship }): CollectStep =>
      relationship === undefined
        ? { kind: "source", role: "scope", source, id, after: null, taken: 0 }
        : { kind: "related", source, id, after: null, ...relationship },
    );
    return [...items, ...imported, ...scoped];
  }
  const sites = understood.namedSites.slice(0, MAX_NAMED_SITES).map((url, index): CollectStep => ({
    kind: "site",
    url,
    crawlId: `crawl_${search.id.replace(/^[a-z]+_/, "")}${index}`,
  }));
  const finds = understood.formulations.map((query, formulation): CollectStep => ({
    kind: "find",
    query,
    formulation,
    readHosts: [],
  }));
  return [...items, ...imported, ...sites, ...finds];
}
