import { AppError } from "@quarry/base";
import { changesQuerySchema, changesSchema, snapshotSchema, type Caller } from "@quarry/contract";
import { canonicalUrl } from "@quarry/crawl";
import { compareTexts, type SnapshotStore } from "@quarry/ingest";
import {
  findDocument,
  findSnapshot,
  getExtractedText,
  listPastVersions,
  SHARED_TEAM,
  type Database,
  type PastVersion,
  type SnapshotFacts,
} from "@quarry/store";
import { z } from "zod";
import { bytesReply } from "../reply.ts";
import { defineRoute, type Route } from "../route.ts";

/** What the snapshot routes need. */
export interface SnapshotDeps {
  readonly db: Database;
  readonly snapshots: SnapshotStore;
}

const tag = "Documents";
const params = z.object({ id: z.string().regex(/^[0-9a-f]{64}$/, { error: "expected 64 hexadecimal digits" }) });
const MAX_VERSIONS = 100;

/** A page from elsewhere is shown as it was, but can do nothing: no script, no request, no form, no frame around us. */
const LOCKED_PAGE =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'self'";

/** Pages as they were read, and how they changed. */
export function snapshotRoutes(deps: SnapshotDeps): readonly Route[] {
  return [
    defineRoute({
      name: "getSnapshot",
      method: "GET",
      path: "/quarry/v1/snapshots/:id",
      tag,
      summary: "Describe a stored copy of a page",
      access: "search",
      params,
      response: snapshotSchema,
      handle: async ({ params: { id } }, { caller, baseUrl }) => {
        const facts = await requireSnapshot(deps.db, caller, id);
        return {
          ...facts,
          createdAt: facts.createdAt.toISOString(),
          contentUrl: `${baseUrl}/quarry/v1/snapshots/${id}/content`,
        };
      },
    }),
    defineRoute({
      name: "getSnapshotContent",
      method: "GET",
      path: "/quarry/v1/snapshots/:id/content",
      tag,
      summary: "Give the bytes of a page as they were read; shown in a browser they run no script and load nothing",
      access: "search",
      params,
      response: z.string(),
      replyMediaType: "application/octet-stream",
      handle: async ({ params: { id } }, { caller }) => {
        const facts = await requireSnapshot(deps.db, caller, id);
        const bytes = await deps.snapshots.get(id);
        if (bytes === undefined) {
          throw new AppError(
            "gone",
            "the bytes of this snapshot were removed by the retention policy; its text is kept",
          );
        }
        // as XHTML a browser shows nothing of a page with a mistake in it
        const shown = facts.mediaType === "application/xhtml+xml" ? "text/html" : facts.mediaType;
        const mediaType = facts.charset === null ? shown : `${shown}; charset=${facts.charset}`;
        return bytesReply(Buffer.from(bytes), {
          mediaType,
          headers: {
            "content-security-policy": LOCKED_PAGE,
            "content-disposition": "inline",
            "cache-control": "private, max-age=86400",
          },
        });
      },
    }),
    defineRoute({
      name: "getChanges",
      method: "GET",
      path: "/quarry/v1/changes",
      tag,
      summary: "Compare two versions of a document's text",
      access: "search",
      query: changesQuerySchema,
      response: changesSchema,
      handle: async ({ query }, { caller }) => {
        const url = canonicalUrl(query.url) ?? query.url;
        const document = await findDocument(deps.db, [caller.teamId, SHARED_TEAM], url);
        if (document === undefined) throw new AppError("not_found", "there is no document with this URL");
        const versions = await listPastVersions(deps.db, document.teamId, url, MAX_VERSIONS);
        const to = pick(versions, query.to, "to") ?? versions[0];
        const from = pick(versions, query.from, "from") ?? versions[versions.findIndex((one) => one === to) + 1];
        const change = from === undefined || to === undefined ? NO_CHANGE : await compare(deps.db, from, to);
        return {
          url,
          versions: versions.map(show),
          from: from ? show(from) : null,
          to: to ? show(to) : null,
          ...change,
        };
      },
    }),
  ];
}

const NO_CHANGE = { added: 0, removed: 0, diff: "" };

async function requireSnapshot(db: Database, caller: Caller, id: string): Promise<SnapshotFacts> {
  const facts = await findSnapshot(db, [caller.teamId, SHARED_TEAM], id);
  if (facts === undefined) throw new AppError("not_found", "there is no snapshot with this id");
  return facts;
}

function pick(versions: readonly PastVersion[], wanted: number | undefined, field: string): PastVersion | undefined {
  if (wanted === undefined) return undefined;
  const found = versions.find(({ version }) => version === wanted);
  if (found !== undefined) return found;
  const known = versions.map(({ version }) => version).join(", ");
  throw new AppError("invalid_request", `${field}: the document has no version ${wanted}; it has ${known}`, {
    details: { field },
  });
}

async function compare(db: Database, from: PastVersion, to: PastVersion): Promise<typeof NO_CHANGE> {
  const [before, after] = await Promise.all(
    [from, to].map(({ snapshotId, extractorVersion }) => getExtractedText(db, snapshotId, extractorVersion)),
  );
  return {
    ...compareTexts(before?.text ?? "", after?.text ?? "", {
      from: `version ${from.version}`,
      to: `version ${to.version}`,
    }),
  };
}

function show({ version, snapshotId, seenAt }: PastVersion): { version: number; snapshotId: string; seenAt: string } {
  return { version, snapshotId, seenAt: seenAt.toISOString() };
}
