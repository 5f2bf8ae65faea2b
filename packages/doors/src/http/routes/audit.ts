import { auditRecordSchema, pageOf, pagingQuery } from "@quarry/contract";
import { listAudit, type Database } from "@quarry/store";
import { Readable } from "node:stream";
import { z } from "zod";
import { bytesReply } from "../reply.ts";
import { defineRoute, type Route } from "../route.ts";

const EXPORT_PAGE = 1_000;

/** The audit log of tool calls over REST. */
export function auditRoutes(deps: { readonly db: Database }): readonly Route[] {
  const { db } = deps;
  const common = { method: "GET", tag: "Audit", access: "admin" } as const;
  return [
    defineRoute({
      ...common,
      name: "listAudit",
      path: "/quarry/v1/audit",
      summary: "The log of tool calls, oldest first",
      query: z.object(pagingQuery({ max: 1_000, default: 100 })),
      response: pageOf(auditRecordSchema),
      handle: async ({ query }, { caller }) => {
        const page = await listAudit(db, caller.teamId, query);
        return { ...page, data: [...page.data] };
      },
    }),
    defineRoute({
      ...common,
      name: "exportAudit",
      path: "/quarry/v1/audit/export",
      summary: "The whole log as NDJSON, each entry with the hash that chains it to the one before",
      replyMediaType: "application/x-ndjson",
      response: z.unknown(),
      handle: (_, { caller }) =>
        Promise.resolve(
          bytesReply(Readable.from(linesOf(db, caller.teamId)), { mediaType: "application/x-ndjson; charset=utf-8" }),
        ),
    }),
  ];
}

async function* linesOf(db: Database, teamId: string): AsyncGenerator<string> {
  for (let cursor: string | undefined; ;) {
    const page = await listAudit(db, teamId, { limit: EXPORT_PAGE, cursor });
    for (const record of page.data) yield `${JSON.stringify(record)}\n`;
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}
