import {
  MAX_AGENT_MONITOR_ENTITIES,
  type AgentMonitorBacktestWire,
  type AgentMonitorChangesWire,
  type AgentMonitorEntitiesWire,
  type AgentMonitorEntityWish,
  type AgentMonitorWire,
  type CreateAgentMonitorBacktestBody,
  type CreateAgentMonitorBody,
} from "@quarry/contract";
import {
  addAgentMonitorEntities,
  createAgentBacktest,
  createAgentMonitor,
  getAgentMonitor,
  listAgentChanges,
  listAgentEntities,
  readAgentContents,
  type AgentBacktest,
  type AgentMonitor,
  type AgentMonitorCitation,
  type AgentMonitorContent,
  type AgentMonitorField,
  type AgentMonitorSince,
  type Json,
  type NewAgentMonitorEntity,
} from "@quarry/store";
import type { AgentMonitorDeps } from "./agent-monitor-deps.ts";
import type { FieldQuestion } from "./answer-field.ts";

/** A unit of use stands for so many tokens that a model read or wrote. */
const TOKENS_PER_UNIT = 1_000;
/** How long a back-test can be read. */
const BACKTEST_KEPT_MS = 24 * 60 * 60 * 1000;

/** Makes a monitor; its first refresh begins at once. */
export function beginAgentMonitor(
  deps: AgentMonitorDeps,
  wish: { readonly id: string; readonly teamId: string; readonly body: CreateAgentMonitorBody },
): Promise<AgentMonitor> {
  const { id, teamId, body } = wish;
  const fields = body.fields.map((field, index) => ({ id: `field_${index + 1}`, ...field }));
  const entities = toEntities(deps, body.entities);
  return createAgentMonitor(deps.database, { id, teamId, cadence: body.cadence, fields, entities }, deps.clock.now());
}

/** Adds entities to a monitor. */
export function addToAgentMonitor(
  deps: AgentMonitorDeps,
  place: { readonly teamId: string; readonly id: string },
  entities: readonly AgentMonitorEntityWish[],
): Promise<AgentMonitor> {
  const room = { ...place, max: MAX_AGENT_MONITOR_ENTITIES };
  return addAgentMonitorEntities(deps.database, room, toEntities(deps, entities), deps.clock.now());
}

/** Makes a back-test, which a job will do. */
export function beginAgentBacktest(
  deps: AgentMonitorDeps,
  wish: { readonly id: string; readonly teamId: string; readonly body: CreateAgentMonitorBacktestBody },
): Promise<AgentBacktest> {
  const { id, teamId, body } = wish;
  const createdAt = deps.clock.now();
  const fields = body.fields.map((field, index) => ({ id: `field_${index + 1}`, ...field }));
  const entities = body.entities.map(({ name, domain, description }) => ({
    name,
    domain,
    description: description ?? null,
  }));
  return createAgentBacktest(deps.database, {
    id,
    teamId,
    request: { entities, fields },
    startTime: body.startTime,
    endTime: body.endTime,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + BACKTEST_KEPT_MS),
  });
}

/** What a back-test asks, as `beginAgentBacktest` wrote it. */
export function readBacktestRequest({ request }: AgentBacktest): {
  readonly entities: readonly FieldQuestion["entity"][];
  readonly fields: readonly AgentMonitorField[];
} {
  return request as unknown as ReturnType<typeof readBacktestRequest>;
}

/** A monitor as the wire shows it. */
export function showAgentMonitor(monitor: AgentMonitor): AgentMonitorWire {
  const { refreshStartedAt, lastRefreshAt, createdAt, entityCount } = monitor;
  const isCreating = refreshStartedAt === null && lastRefreshAt === null;
  return {
    id: monitor.id,
    object: "agent_monitor",
    status: isCreating ? "creating" : lastRefreshAt === null ? "pending_first_refresh" : "active",
    cadence: monitor.cadence,
    fields: monitor.fields.map(({ id, name, description, mode, type }) => ({ id, name, description, mode, type })),
    entityCount,
    version: monitor.version,
    createdAt: createdAt.toISOString(),
    lastRefreshAt: lastRefreshAt?.toISOString() ?? null,
    refresh:
      refreshStartedAt === null ? { state: "idle" } : running(monitor.refreshedCount, entityCount, refreshStartedAt),
    creation: isCreating ? running(0, entityCount, createdAt) : { state: "idle" },
    usage: {
      totalAcus: monitor.totalTokens / TOKENS_PER_UNIT,
      lastRefreshAcus: monitor.lastRefreshTokens / TOKENS_PER_UNIT,
    },
  };
}

/** A page of a monitor's entities with what is known of them. */
export async function showAgentEntities(
  deps: AgentMonitorDeps,
  place: { readonly teamId: string; readonly id: string },
  page: { readonly limit: number; readonly cursor?: string | undefined; readonly since?: AgentMonitorSince },
): Promise<AgentMonitorEntitiesWire> {
  const monitor = await getAgentMonitor(deps.database, place.teamId, place.id);
  const list = await listAgentEntities(deps.database, monitor.id, page);
  const contents = await readAgentContents(
    deps.database,
    list.data.map(({ id }) => id),
  );
  return {
    object: "list",
    ...list,
    version: monitor.version,
    data: list.data.map(({ id, name, domain }) => ({
      entity: { id, name, domain },
      contents: Object.fromEntries((contents.get(id) ?? []).map((content) => [content.fieldId, showContent(content)])),
    })),
  };
}

/** A page of a monitor's changes. */
export async function showAgentChanges(
  deps: AgentMonitorDeps,
  place: { readonly teamId: string; readonly id: string },
  page: { readonly limit: number; readonly cursor?: string | undefined; readonly since?: AgentMonitorSince },
): Promise<AgentMonitorChangesWire> {
  const monitor = await getAgentMonitor(deps.database, place.teamId, place.id);
  const list = await listAgentChanges(deps.database, monitor.id, page);
  return {
    object: "list",
    ...list,
    version: monitor.version,
    data: list.data.map((change) => {
      const field = monitor.fields.find(({ id }) => id === change.fieldId);
      return {
        type: "content.upserted",
        entity: {
          id: change.entityId,
          ...(change.entityName !== null && { name: change.entityName }),
          ...(change.entityDomain !== null && { domain: change.entityDomain }),
        },
        field: { id: change.fieldId, ...(field !== undefined && { name: field.name }) },
        content: showContent({ ...change, updatedAt: change.createdAt }),
        version: change.version,
        createdAt: change.createdAt.toISOString(),
      };
    }),
  };
}

/** A back-test as the wire shows it. */
export function showAgentBacktest(backtest: AgentBacktest): AgentMonitorBacktestWire {
  return {
    id: backtest.id,
    object: "agent_monitor.backtest",
    startTime: backtest.startTime.toISOString(),
    endTime: backtest.endTime.toISOString(),
    createdAt: backtest.createdAt.toISOString(),
    expiresAt: backtest.expiresAt.toISOString(),
    status: backtest.status,
    ...(backtest.status === "completed" && (backtest.result as object)),
    ...(backtest.status === "failed" && { error: backtest.error ?? "" }),
  };
}

/** A quote as the wire shows it. */
export function toCitation({ url, title, snippet }: AgentMonitorCitation): {
  readonly url: string;
  readonly title?: string;
  readonly note: string;
} {
  return { url, ...(title !== null && { title }), note: snippet };
}

function showContent({ value, citations, updatedAt }: Omit<AgentMonitorContent, "fieldId">): {
  value: Json;
  citations: ReturnType<typeof toCitation>[];
  updatedAt: string;
} {
  return { value, citations: citations.map(toCitation), updatedAt: updatedAt.toISOString() };
}

function running(entitiesProcessed: number, entitiesTotal: number, startedAt: Date): AgentMonitorWire["refresh"] {
  return { state: "running", entitiesProcessed, entitiesTotal, startedAt: startedAt.toISOString() };
}

function toEntities(
  deps: AgentMonitorDeps,
  entities: readonly AgentMonitorEntityWish[],
): readonly NewAgentMonitorEntity[] {
  return entities.map(({ name, domain, description }) => ({
    id: deps.newId("entity"),
    name,
    domain,
    description: description ?? null,
  }));
}
