import {
  endWebsetWork,
  findWebset,
  lockWebset,
  type JobCompletion,
  type JobHandler,
  type JobRun,
  type Transaction,
} from "@quarry/store";
import { z } from "zod";
import { addItems } from "./add-item.ts";
import { excludedIdentities, findUnreadImports } from "./excluded.ts";
import { identitiesOf } from "./identities.ts";
import { enqueueImport } from "./jobs.ts";
import { runUnit } from "./run-unit.ts";
import { tellIfIdle } from "./settle-webset.ts";
import { readSourcePart, type SourceEntity } from "./source-entities.ts";
import { teamsOfWebset, type StoredPage, type WebsetsDeps } from "./websets-deps.ts";

const payloadSchema = z.object({
  websetId: z.string(),
  source: z.enum(["import", "webset"]),
  id: z.string(),
  after: z.string().nullable(),
});

/** How often an import is looked at whose file has not been read, or that of one which the webset excludes. */
const LOOK_AGAIN_MS = 1_000;
/** Entities that enter in one transaction. */
const ENTITIES_AT_ONCE = 100;

/** How imported work is named in `webset_work`: a webset may take in several. */
export function importWork(websetId: string, source: { readonly source: string; readonly id: string }) {
  return { websetId, kind: "import", id: `${source.source}:${source.id}` } as const;
}

/** Does the jobs of kind `webset-import`: brings entities of an import or another webset into a webset, a batch a job. */
export function createWebsetImportHandler(deps: WebsetsDeps): JobHandler {
  return runUnit(
    deps.clock,
    (run) => bringIn(deps, run),
    (run, error) => {
      const payload = payloadSchema.parse(run.job.payload);
      deps.onGivenUp?.({ kind: "import", id: payload.id, error: error.message });
      return run.complete((tx) => end(deps, tx, payload));
    },
  );
}

async function bringIn(deps: WebsetsDeps, run: JobRun): Promise<JobCompletion> {
  const payload = payloadSchema.parse(run.job.payload);
  const teamId = run.job.teamId ?? "";
  const webset = await findWebset(deps.database, teamId, payload.websetId);
  if (webset === undefined || webset.pausedAt !== null) return run.complete();
  const part = await readSourcePart(deps.database, teamId, payload, payload.after, ENTITIES_AT_ONCE);
  const unread = await findUnreadImports(deps.database, teamId, webset.excludes);
  if (!part.isReady || unread.length > 0) {
    const runAt = new Date(deps.clock.now().getTime() + LOOK_AGAIN_MS);
    return run.complete((tx) => enqueueImport(tx, webset, payload, runAt));
  }
  const urls = part.entities.flatMap(({ entity }) => entity.pages.slice(0, 1));
  const pages = await deps.readPages({ teamIds: teamsOfWebset(webset), urls, fetch: false }, run.signal);
  return run.complete(async (tx) => {
    await enterAll(deps, tx, payload, part.entities, pages);
    if (part.after === null) await end(deps, tx, payload);
    else await enqueueImport(tx, webset, { ...payload, after: part.after });
  });
}

type Payload = z.output<typeof payloadSchema>;

async function enterAll(
  deps: WebsetsDeps,
  tx: Transaction,
  payload: Payload,
  entities: readonly SourceEntity[],
  pages: readonly StoredPage[],
): Promise<void> {
  const [first] = entities;
  const locked = await lockWebset(tx, payload.websetId);
  if (locked === undefined || first === undefined) return;
  const identities = entities.flatMap(({ entity }) => identitiesOf(entity));
  const kind =
    first.entity.type === "custom" ? ({ type: "custom", description: "entity" } as const) : { type: first.entity.type };
  const excluded = await excludedIdentities(tx, {
    teamId: locked.teamId,
    kind,
    sources: locked.excludes,
    identities,
  });
  const entering = entities
    .filter(({ entity }) => !identitiesOf(entity).some((identity) => excluded.has(identity)))
    .map(({ id, entity }) => ({
      entity,
      entityKey: entity.key,
      source: "import" as const,
      sourceId: payload.id,
      sourceEntityId: payload.source === "webset" ? id : null,
      scopeId: null,
      evaluations: [],
      pages: pages.filter(({ url }) => entity.pages.includes(url)),
    }));
  await addItems(deps, tx, locked, entering);
}

async function end(deps: WebsetsDeps, tx: Transaction, payload: Payload): Promise<void> {
  const webset = await lockWebset(tx, payload.websetId);
  if (webset === undefined) return;
  if (await endWebsetWork(tx, importWork(payload.websetId, payload))) await tellIfIdle(deps, tx, webset);
}
