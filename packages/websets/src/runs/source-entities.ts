import { AppError, isUrl } from "@quarry/base";
import {
  getImport,
  getWebset,
  listWebsetItems,
  readImportRows,
  type ImportRow,
  type Queryable,
  type WebsetSource,
} from "@quarry/store";
import { isDirectory } from "../entities/company.ts";
import type { Entity, EntityKind, EntityProperties } from "../entities/entity.ts";
import { canonicalAddress } from "../entities/page-urls.ts";
import { siteOf } from "../judge/subject.ts";
import { companyHost, isDeep } from "./identities.ts";
import { entityOfItem } from "./show-item.ts";

/** An entity of a source, and how the source calls it. */
export interface SourceEntity {
  /** The id of the item, or the row's number in its import. */
  readonly id: string;
  readonly entity: Entity;
}

/** A part of a source's entities. `isReady` is false while an import waits for its file. */
export interface SourcePart {
  readonly isReady: boolean;
  readonly entities: readonly SourceEntity[];
  /** Where to go on; null at the end. */
  readonly after: string | null;
}

/** Entities read at once. */
export const SOURCE_BATCH = 200;

/** Reads the next entities of an import or another webset of the team. Throws `not_found` for what is not the team's. */
export async function readSourcePart(
  db: Queryable,
  teamId: string,
  { source, id }: WebsetSource,
  after: string | null,
  limit = SOURCE_BATCH,
): Promise<SourcePart> {
  if (source === "webset") {
    const webset = await getWebset(db, teamId, id);
    const page = await listWebsetItems(db, webset.id, { limit, ...(after !== null && { cursor: after }) });
    const entities = page.data.map((item) => ({ id: item.id, entity: entityOfItem(item) }));
    return { isReady: true, entities, after: page.nextCursor };
  }
  const found = await getImport(db, teamId, id);
  if (found.status === "failed") {
    throw new AppError("unprocessable", `the import ${id} failed: ${found.failedMessage ?? "its file cannot be used"}`);
  }
  if (found.status !== "completed") return { isReady: false, entities: [], after };
  const rows = await readImportRows(db, id, { teamId, after: Number(after ?? 0), limit });
  const kind = found.entity as unknown as EntityKind;
  const last = rows.at(-1);
  return {
    isReady: true,
    entities: rows.map((row) => ({ id: `${id}:${row.number}`, entity: entityOfRow(row, kind) })),
    after: rows.length < limit || last === undefined ? null : String(last.number),
  };
}

/** The entity that a row of a file names, as far as the row tells. */
export function entityOfRow(row: ImportRow, kind: EntityKind): Entity {
  const url = row.url ?? "";
  const name = row.name ?? (row.url === null ? row.identifier : hostOf(row.url));
  const description = fieldOf(row, ["description", "about", "summary"]) ?? "";
  return {
    type: kind.type,
    name,
    aliases: [],
    url,
    properties: propertiesOf(kind, { row, name, url, description }),
    pages: row.url === null ? [] : [row.url],
    key: keyOf(kind, row, name),
    sameAs: row.url === null ? [] : [row.url],
  };
}

function propertiesOf(
  kind: EntityKind,
  known: { readonly row: ImportRow; readonly name: string; readonly url: string; readonly description: string },
): EntityProperties {
  const { row, name, url, description } = known;
  const common = { url, description };
  const work = {
    author: fieldOf(row, ["author", "authors"]),
    publishedAt: fieldOf(row, ["published", "publishedat", "date"]),
    title: name,
  };
  switch (kind.type) {
    case "company":
      return {
        type: "company",
        ...common,
        content: null,
        company: {
          name,
          location: fieldOf(row, ["location", "city", "country"]),
          employees: numberOf(fieldOf(row, ["employees", "headcount"])),
          industry: fieldOf(row, ["industry", "sector"]),
          about: description === "" ? null : description,
          logoUrl: null,
          foundedYear: numberOf(fieldOf(row, ["founded", "foundedyear"])),
          headquarters: null,
          financials: null,
          webTraffic: null,
        },
      };
    case "person": {
      const company = fieldOf(row, ["company", "organization", "organisation", "employer"]);
      return {
        type: "person",
        ...common,
        person: {
          name,
          location: fieldOf(row, ["location", "city", "country"]),
          position: fieldOf(row, ["position", "title", "jobtitle", "role"]),
          company: company === null ? null : { name: company, location: null },
          pictureUrl: null,
          workHistory: [],
          educationHistory: [],
        },
      };
    }
    case "article":
      return { type: "article", ...common, content: null, article: work };
    case "research_paper":
      return { type: "research_paper", ...common, content: null, researchPaper: work };
    case "custom":
      return { type: "custom", ...common, content: null, custom: work };
  }
}

function fieldOf(row: ImportRow, names: readonly string[]): string | null {
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, "");
  const found = Object.entries(row.fields).find(([name]) => names.includes(plain(name)));
  return found?.[1] ?? null;
}

function numberOf(text: string | null): number | null {
  const digits = text?.replaceAll(/[,\s]/g, "") ?? "";
  return /^\d+$/.test(digits) ? Number(digits) : null;
}

function hostOf(url: string): string {
  return isUrl(url) ? new URL(url).hostname.replace(/^www\./, "") : url;
}

/**
 * As entities that are found are called: a company by its host, but on a directory by its page, and so deep below a host that
 * may be many companies' ("sites.google.com/view/acme"): rows that a list keeps apart stay so.
 */
function keyOf(kind: EntityKind, row: ImportRow, name: string): string {
  if (row.url === null) return `${kind.type}:name:${name.toLowerCase()}`;
  if (kind.type !== "company") return `${kind.type}:${row.url}`;
  if (!isUrl(row.url)) return `company:site:${siteOf(row.url) ?? row.url}`;
  const host = companyHost(row.url);
  const isShared = host !== (siteOf(row.url) ?? host);
  if (isDirectory(row.url) || (isShared && isDeep(row.url))) return `company:page:${canonicalAddress(row.url)}`;
  return `company:site:${host}`;
}
