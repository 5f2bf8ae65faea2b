import type { CellAttempt } from "@quarry/contract";
import type { Json } from "../jsonb.ts";

/** A quote with its place in a stored page. */
export interface WebsetReference {
  readonly url: string;
  readonly title: string | null;
  readonly snippet: string | null;
  readonly snapshotId: string | null;
  /** The version of the text that the offsets count. */
  readonly extractorVersion: string | null;
  readonly start: number;
  readonly end: number;
}

/** Who gave a value, when it was not Quarry. */
export interface HumanMark {
  /** The key's id, or the browser session's team. */
  readonly by: string;
  readonly note: string | null;
  readonly at: string;
}

/** A verdict on one criterion. */
export interface WebsetEvaluation {
  readonly criterion: string;
  readonly satisfied: "yes" | "no" | "unclear";
  readonly reasoning: string;
  readonly references: readonly WebsetReference[];
  readonly human?: HumanMark;
  /** How it was judged so far, oldest first. They stand here because the first criteria are judged before there is an item. */
  readonly attempts?: readonly CellAttempt[];
}

/** An item as the store keeps it, without its cells. */
export interface WebsetItem {
  readonly id: string;
  readonly sequence: number;
  readonly websetId: string;
  readonly teamId: string;
  readonly entityKey: string;
  readonly identities: readonly string[];
  /** The entity without its content; its shape is the websets room's. */
  readonly entity: Json;
  readonly groupKey: string | null;
  readonly source: "search" | "import";
  readonly sourceId: string;
  readonly sourceEntityId: string | null;
  readonly scopeId: string | null;
  readonly contentSnapshotId: string | null;
  readonly contentExtractorVersion: string | null;
  readonly evaluations: readonly WebsetEvaluation[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A row of `webset_items`. */
export interface WebsetItemRow {
  readonly id: string;
  readonly sequence: number;
  readonly webset_id: string;
  readonly team_id: string;
  readonly entity_key: string;
  readonly identities: readonly string[];
  readonly entity: Json;
  readonly group_key: string | null;
  readonly source: "search" | "import";
  readonly source_id: string;
  readonly source_entity_id: string | null;
  readonly scope_id: string | null;
  readonly content_snapshot_id: string | null;
  readonly content_extractor_version: string | null;
  readonly evaluations: readonly WebsetEvaluation[];
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The columns of `toWebsetItem`. */
export const WEBSET_ITEM_COLUMNS = `id, sequence, webset_id, team_id, entity_key, identities, entity, group_key, source, source_id,
  source_entity_id, scope_id, content_snapshot_id, content_extractor_version, evaluations, created_at, updated_at`;

/** Reads a row. */
export function toWebsetItem(row: WebsetItemRow): WebsetItem {
  return {
    id: row.id,
    sequence: row.sequence,
    websetId: row.webset_id,
    teamId: row.team_id,
    entityKey: row.entity_key,
    identities: row.identities,
    entity: row.entity,
    groupKey: row.group_key,
    source: row.source,
    sourceId: row.source_id,
    sourceEntityId: row.source_entity_id,
    scopeId: row.scope_id,
    contentSnapshotId: row.content_snapshot_id,
    contentExtractorVersion: row.content_extractor_version,
    evaluations: row.evaluations,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
