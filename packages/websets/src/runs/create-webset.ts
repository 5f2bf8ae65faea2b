import { AppError } from "@quarry/base";
import type { CreateEnrichment, CreateWebset, CreateWebsetSearch, WebsetWire } from "@quarry/contract";
import {
  beginWebsetWork,
  getImport,
  getWebset,
  insertWebset,
  insertWebsetEnrichment,
  insertWebsetSearch,
  lockWebset,
  type Queryable,
  type Transaction,
  type Webset,
  type WebsetCaps,
  type WebsetEnrichment,
  type WebsetPriority,
  type WebsetScope,
  type WebsetSearch,
  type WebsetSource,
} from "@quarry/store";
import { chooseFormat } from "./choose-format.ts";
import { importWork } from "./import-job.ts";
import { enqueueImport, enqueueSearch } from "./jobs.ts";
import { makeTitle } from "./make-title.ts";
import { showWebset } from "./show-webset.ts";
import { tellSearches, tellWebset } from "./tell-webset.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

/** Who makes something, and under which id: a retry with the same id makes nothing twice. */
export interface Maker {
  readonly id: string;
  readonly teamId: string;
  /** How urgent it is; medium unless given. */
  readonly priority?: WebsetPriority | undefined;
}

const DEFAULT_COUNT = 10;

/** Makes a webset with its search, enrichments and imports, tells of it, and leaves the first jobs: one transaction. */
export async function createWebset(deps: WebsetsDeps, maker: Maker, wish: CreateWebset): Promise<WebsetWire> {
  const { teamId } = maker;
  const db = deps.database;
  const imports = await resolveSources(db, teamId, wish.import ?? []);
  const excludes = await resolveSources(db, teamId, wish.exclude ?? []);
  const search = wish.search === undefined ? undefined : await resolveSearch(db, teamId, wish.search);
  return db.transaction(async (tx) => {
    const now = deps.clock.now();
    const webset = await insertWebset(
      tx,
      {
        id: maker.id,
        teamId,
        externalId: wish.externalId ?? null,
        title: wish.title ?? makeTitle(wish.search?.query ?? "Imported entities"),
        metadata: wish.metadata ?? {},
        excludes,
        imports: imports.map(({ source, id, evaluate }) => ({ source, id, evaluate: evaluate === true })),
        caps: capsOf(wish.quarry?.caps),
        priority: maker.priority,
      },
      now,
    );
    if (webset === undefined) return showWebset(deps, tx, await getWebset(tx, teamId, maker.id));
    const locked = (await lockWebset(tx, webset.id)) ?? webset;
    for (const enrichment of wish.enrichments ?? []) {
      await addEnrichment(deps, tx, locked, deps.newId("wenrich"), enrichment);
    }
    const made =
      search === undefined
        ? undefined
        : await addSearch(
            deps,
            tx,
            locked,
            { id: deps.newId("wsearch"), now },
            {
              ...search,
              count: search.count ?? DEFAULT_COUNT,
              behavior: "override",
            },
          );
    for (const entering of locked.imports.filter(({ evaluate }) => !evaluate)) {
      await beginWebsetWork(tx, importWork(locked.id, entering), now);
      await enqueueImport(tx, locked, { ...entering, after: null });
    }
    await tellWebset(deps, tx, "webset.created", locked);
    if (made !== undefined) await tellSearches(deps, tx, "webset.search.created", [made]);
    return showWebset(deps, tx, locked);
  });
}

type SearchWish = Omit<NonNullable<CreateWebset["search"]>, "count"> & {
  readonly count: number;
  readonly behavior: "override" | "append";
};

/**
 * Adds a search and the job that starts it; the caller holds the webset's lock and tells of it. What the query lists is read
 * by rule at once, for clients count on it in the reply; throws `unprocessable` when it cannot be understood.
 */
export async function addSearch(
  deps: WebsetsDeps,
  tx: Transaction,
  webset: Pick<Webset, "id" | "teamId" | "priority">,
  { id, now }: { readonly id: string; readonly now: Date },
  wish: SearchWish,
): Promise<WebsetSearch | undefined> {
  const { entity, criteria } = await readQuery(deps, wish);
  const search = await insertWebsetSearch(
    tx,
    {
      id,
      websetId: webset.id,
      teamId: webset.teamId,
      query: wish.query,
      entity,
      criteria,
      count: wish.count,
      behavior: wish.behavior,
      exclude: wish.exclude ?? [],
      scope: (wish.scope ?? []).map(({ source, id: sourceId, relationship }): WebsetScope => ({
        source,
        id: sourceId,
        ...(relationship !== undefined && { relationship }),
      })),
      maxPeoplePerCompany: wish.maxPeoplePerCompany ?? null,
      wantsRecall: wish.recall === true,
      metadata: wish.metadata ?? {},
    },
    now,
  );
  if (search !== undefined) await enqueueSearch(tx, webset, id);
  return search;
}

/** Entity and criteria as given, or by the rules. A model, where there is one, derives criteria later: it takes its time. */
async function readQuery(
  deps: WebsetsDeps,
  wish: SearchWish,
): Promise<{
  readonly entity: NonNullable<SearchWish["entity"]>;
  readonly criteria: readonly { readonly description: string }[];
}> {
  const { query, entity, criteria } = wish;
  if (entity !== undefined && criteria !== undefined) return { entity, criteria };
  const signal = new AbortController().signal;
  const outcome = await deps.judges.understandQuery({ query, entity, criteria, signal });
  if (outcome.kind === "not-understood") throw new AppError("unprocessable", outcome.reason);
  const derived = deps.llm === undefined ? outcome.criteria : [];
  return { entity: entity ?? outcome.entity, criteria: criteria ?? derived };
}

/** Adds an enrichment; the caller holds the webset's lock and opens its cells. */
export async function addEnrichment(
  deps: WebsetsDeps,
  tx: Transaction,
  webset: Pick<Webset, "id" | "teamId">,
  id: string,
  wish: CreateEnrichment,
): Promise<WebsetEnrichment | undefined> {
  const format = wish.format ?? chooseFormat(wish.description, wish.options);
  return insertWebsetEnrichment(
    tx,
    {
      id,
      websetId: webset.id,
      teamId: webset.teamId,
      title: makeTitle(wish.description),
      description: wish.description,
      format,
      options: format === "options" ? (wish.options ?? null) : null,
      instructions: wish.instructions ?? null,
      metadata: wish.metadata ?? {},
    },
    deps.clock.now(),
  );
}

/** A search whose sources are there and go by their ids. */
export async function resolveSearch<T extends Pick<CreateWebsetSearch, "exclude" | "scope">>(
  db: Queryable,
  teamId: string,
  search: T,
): Promise<T> {
  const exclude = await resolveSources(db, teamId, search.exclude ?? []);
  const scope = await resolveSources(db, teamId, search.scope ?? []);
  return { ...search, exclude, scope };
}

/** Sources by their ids; throws `invalid_request` for one that is not the team's. */
export async function resolveSources<T extends WebsetSource>(
  db: Queryable,
  teamId: string,
  sources: readonly T[],
): Promise<T[]> {
  const resolved: T[] = [];
  for (const wish of sources) {
    try {
      const { id } =
        wish.source === "webset" ? await getWebset(db, teamId, wish.id) : await getImport(db, teamId, wish.id);
      resolved.push({ ...wish, id });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "not_found") throw error;
      throw new AppError("invalid_request", `there is no ${wish.source} ${wish.id}; give the id of one of your team`, {
        cause: error,
      });
    }
  }
  return resolved;
}

function capsOf(caps: NonNullable<CreateWebset["quarry"]>["caps"]): WebsetCaps {
  return {
    ...(caps?.items !== undefined && { items: caps.items }),
    ...(caps?.pages !== undefined && { pages: caps.pages }),
    ...(caps?.tokens !== undefined && { tokens: caps.tokens }),
    ...(caps?.costDollars !== undefined && { costDollars: caps.costDollars }),
  };
}
