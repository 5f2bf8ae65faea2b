import { beginSearch } from "../runs/manage-searches.ts";
import { reopenCells } from "../runs/manage-enrichments.ts";
import { tellIfIdle } from "../runs/settle-webset.ts";
import type { WebsetsDeps } from "../runs/websets-deps.ts";
import type { MonitorEngine } from "./monitor-engine.ts";
import type { MonitorJobDeps } from "./monitor-jobs.ts";

/** What monitors need of a webset's own searches and cells; `readPageNow` fetches a page whatever is stored. */
export function createMonitorDeps(deps: WebsetsDeps, readPageNow: MonitorEngine["readPageNow"]): MonitorJobDeps {
  return {
    database: deps.database,
    clock: deps.clock,
    settleWebset: (tx, id) => tellIfIdle(deps, tx, { id }),
    engine: createEngine(deps, readPageNow),
  };
}

function createEngine(deps: WebsetsDeps, readPageNow: MonitorEngine["readPageNow"]): MonitorEngine {
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
