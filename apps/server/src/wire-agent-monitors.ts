import { makeId, type Clock } from "@quarry/base";
import { searchSchema } from "@quarry/contract";
import { agentMonitorRoutes, type Route } from "@quarry/doors";
import { findForRequest, getPages, type SearchDeps } from "@quarry/search";
import { AGENT_BACKTEST_JOB, AGENT_MONITOR_JOB, type JobHandler } from "@quarry/store";
import {
  createAgentBacktestHandler,
  createAgentMonitorHandler,
  type AgentMonitorJobDeps,
  type WebsetsDeps,
} from "@quarry/websets";
import { toStoredPage } from "./wire-websets.ts";

/** As the page is on the web now, or as it is stored when it cannot be had. */
const FRESH = {
  freshness: { kind: "fetch", fallsBack: true },
  fetchTimeoutMs: 15_000,
  snapshotAsOf: undefined,
} as const;
const STORED = { freshness: { kind: "stored-only" }, fetchTimeoutMs: 10_000, snapshotAsOf: undefined } as const;

/** Puts agent monitors together, over search and the judges of websets. */
export function wireAgentMonitors(parts: {
  readonly clock: Clock;
  readonly searching: SearchDeps;
  readonly websets: WebsetsDeps;
}): { readonly routes: readonly Route[]; readonly handlers: Readonly<Record<string, JobHandler>> } {
  const { clock, searching, websets } = parts;
  const deps: AgentMonitorJobDeps = {
    database: websets.database,
    clock,
    newId: (prefix) => makeId(prefix, clock.now()),
    llm: websets.llm,
    embed: websets.embed,
    judges: websets.judges,
    findPages: async ({ teamIds, query, limit, includeDomains, published }, signal) => {
      const body = searchSchema.parse({
        query,
        numResults: limit,
        type: "fast",
        ...(includeDomains !== undefined && { includeDomains: [...includeDomains] }),
        ...(published !== undefined && {
          startPublishedDate: published.from.toISOString(),
          endPublishedDate: published.to.toISOString(),
        }),
      });
      const { pages } = await findForRequest(searching, { teamIds, body }, signal);
      return pages.map(({ url }) => url);
    },
    readPages: async ({ teamIds, urls, asOf }, signal) => {
      const wish = asOf === "now" ? FRESH : asOf === "stored" ? STORED : { ...STORED, snapshotAsOf: asOf };
      const outcomes = await getPages(searching, teamIds, urls, wish, signal);
      return urls.flatMap((url) => {
        const outcome = outcomes.get(url);
        return outcome?.kind === "found" ? [toStoredPage(outcome.page)] : [];
      });
    },
  };
  return {
    routes: agentMonitorRoutes(deps),
    handlers: {
      [AGENT_MONITOR_JOB]: createAgentMonitorHandler(deps),
      [AGENT_BACKTEST_JOB]: createAgentBacktestHandler(deps),
    },
  };
}
