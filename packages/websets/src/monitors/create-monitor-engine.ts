import { beginSearch } from "../runs/manage-searches.ts";
import { reopenCells } from "../runs/manage-enrichments.ts";
import type { WebsetsDeps } from "../runs/websets-deps.ts";
import type { MonitorEngine } from "./monitor-engine.ts";

/** The engine of monitors over the webset's own searches and cells; `readPageNow` fetches a page whatever is stored. */
export function createMonitorEngine(deps: WebsetsDeps, readPageNow: MonitorEngine["readPageNow"]): MonitorEngine {
  return {
    beginSearch: async (tx, webset, search) => {
      const { exclude, scope, maxPeoplePerCompany, criteria, ...rest } = search;
      const wish = {
        ...rest,
        metadata: { ...search.metadata },
        criteria: criteria === undefined ? undefined : criteria.map(({ description }) => ({ description })),
        exclude: exclude.map((source) => ({ ...source })),
        scope: scope.map(({ source, id, relationship }) => ({ source, id, relationship })),
        maxPeoplePerCompany: maxPeoplePerCompany ?? undefined,
        recall: undefined,
      };
      const begun = await beginSearch(deps, tx, webset, deps.newId("wsearch"), wish);
      return begun.id;
    },
    refillCells: (tx, webset, enrichmentIds) => reopenCells(deps, tx, webset, enrichmentIds),
    readPageNow,
  };
}
