import type { Json } from "../jsonb.ts";

/** Where entities come from: an import, or another webset. */
export interface WebsetSource {
  readonly source: "import" | "webset";
  readonly id: string;
}

/** What may never be passed by a webset's work; absent means no cap. */
export interface WebsetCaps {
  readonly items?: number;
  readonly pages?: number;
  readonly tokens?: number;
  readonly costDollars?: number;
}

/** How urgent a webset is to whoever asked for it last. */
export type WebsetPriority = "low" | "medium" | "high";

/** A webset as the store keeps it, without what hangs below it. */
export interface Webset {
  readonly id: string;
  readonly teamId: string;
  readonly externalId: string | null;
  readonly title: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly excludes: readonly WebsetSource[];
  readonly imports: readonly (WebsetSource & { readonly evaluate: boolean })[];
  readonly pausedAt: Date | null;
  readonly caps: WebsetCaps;
  readonly priority: WebsetPriority;
  readonly itemCount: number;
  readonly spent: { readonly pages: number; readonly tokens: number; readonly costDollars: number };
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A row of `websets`. */
export interface WebsetRow {
  readonly id: string;
  readonly team_id: string;
  readonly external_id: string | null;
  readonly title: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly excludes: readonly WebsetSource[];
  readonly imports: readonly (WebsetSource & { readonly evaluate: boolean })[];
  readonly paused_at: Date | null;
  readonly caps: WebsetCaps;
  readonly priority: WebsetPriority;
  readonly item_count: number;
  readonly spent_pages: number;
  readonly spent_tokens: number;
  readonly spent_dollars: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The columns of `toWebset`. */
export const WEBSET_COLUMNS = `id, team_id, external_id, title, metadata, excludes, imports, paused_at, caps, priority, item_count,
  spent_pages, spent_tokens, spent_dollars, created_at, updated_at`;

/** Reads a row. */
export function toWebset(row: WebsetRow): Webset {
  return {
    id: row.id,
    teamId: row.team_id,
    externalId: row.external_id,
    title: row.title,
    metadata: row.metadata,
    excludes: row.excludes,
    imports: row.imports,
    pausedAt: row.paused_at,
    caps: row.caps,
    priority: row.priority,
    itemCount: row.item_count,
    spent: { pages: row.spent_pages, tokens: row.spent_tokens, costDollars: row.spent_dollars },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** A record as a JSON parameter: TypeScript cannot see that an interface is JSON. */
export function asJson(value: object | null): Json {
  return value as unknown as Json;
}
