import {
  findImports,
  findKnownIdentities,
  findWebset,
  readImportRows,
  type Queryable,
  type WebsetSource,
} from "@quarry/store";
import type { EntityKind } from "../entities/entity.ts";
import { identitiesOf } from "./identities.ts";
import { entityOfRow } from "./source-entities.ts";

/** Rows of an excluded import that are read at once. */
const ROWS_AT_ONCE = 1_000;

/** What is asked of excluded sources. */
export interface ExclusionQuestion {
  readonly teamId: string;
  /** What the entities are. */
  readonly kind: EntityKind;
  readonly sources: readonly WebsetSource[];
  readonly identities: readonly string[];
}

/** Of these sources, the imports whose rows are still to come: until then nobody can say what they exclude. */
export async function findUnreadImports(
  db: Queryable,
  teamId: string,
  sources: readonly WebsetSource[],
): Promise<readonly string[]> {
  const ids = sources.filter(({ source }) => source === "import").map(({ id }) => id);
  if (ids.length === 0) return [];
  const imports = await findImports(db, teamId, ids);
  return imports.filter(({ status }) => status === "pending" || status === "processing").map(({ id }) => id);
}

/** Of these identities, those that an excluded source has. A source that is gone excludes nothing. */
export async function excludedIdentities(
  db: Queryable,
  { teamId, kind, sources, identities }: ExclusionQuestion,
): Promise<ReadonlySet<string>> {
  const websetIds: string[] = [];
  const excluded = new Set<string>();
  const asked = new Set(identities);
  for (const { source, id } of sources) {
    if (source === "webset") {
      const webset = await findWebset(db, teamId, id);
      if (webset !== undefined) websetIds.push(webset.id);
      continue;
    }
    for (const identity of await identitiesOfImport(db, teamId, id, kind)) {
      if (asked.has(identity)) excluded.add(identity);
    }
  }
  for (const identity of await findKnownIdentities(db, websetIds, identities)) excluded.add(identity);
  return excluded;
}

async function identitiesOfImport(
  db: Queryable,
  teamId: string,
  id: string,
  kind: EntityKind,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let after = 0; ;) {
    const rows = await readImportRows(db, id, { teamId, after, limit: ROWS_AT_ONCE });
    for (const row of rows) for (const identity of identitiesOf(entityOfRow(row, kind))) found.add(identity);
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_AT_ONCE) return found;
    after = last.number;
  }
}
