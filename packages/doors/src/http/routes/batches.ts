import { Readable } from "node:stream";
import { beginBatch, openResults, showBatch, writeResults, type BatchDeps } from "@quarry/answer";
import {
  batchListSchema,
  BATCHES_BETA,
  batchSchema,
  createBatchSchema,
  listBatchesQuerySchema,
  MAX_BATCH_REQUESTS,
} from "@quarry/contract";
import { cancelBatch, deleteBatch, getBatch, listBatches, listCompletedBatches } from "@quarry/store";
import { z } from "zod";
import { bytesReply } from "../reply.ts";
import { requireBeta } from "../require-beta.ts";
import { defineRoute, type Route } from "../route.ts";

const params = z.object({ id: z.string().min(1).max(200).describe("The batch's id.") });
const shared = { tag: "Batches", access: "search" } as const;
const MAX_BODY_BYTES = 32_000_000;

/** Batches: many requests at once, done in the background. */
export function batchRoutes(deps: BatchDeps): readonly Route[] {
  const { database, clock } = deps;
  return [
    defineRoute({
      ...shared,
      name: "createBatch",
      method: "POST",
      path: "/batches",
      summary: "Have many searches and agent runs done in the background",
      description:
        `Up to ${MAX_BATCH_REQUESTS} requests, done in order and behind everything else, in the name of the key that asks. ` +
        `Needs the header Exa-Beta: ${BATCHES_BETA}, as every call about batches.`,
      creates: true,
      maxBodyBytes: MAX_BODY_BYTES,
      body: createBatchSchema,
      response: batchSchema,
      handle: async ({ body }, { caller: { teamId, keyId }, headers, newId, baseUrl }) => {
        requireBeta(headers, BATCHES_BETA);
        return showBatch(await beginBatch(deps, { id: newId("batch"), teamId, keyId, body }), clock.now(), baseUrl);
      },
    }),
    defineRoute({
      ...shared,
      name: "listBatches",
      method: "GET",
      path: "/batches",
      summary: "List the team's batches, newest first; completed ones by themselves in the order in which they expire",
      query: listBatchesQuerySchema,
      response: batchListSchema,
      handle: async ({ query: { status, ...page } }, { caller: { teamId }, headers, baseUrl }) => {
        requireBeta(headers, BATCHES_BETA);
        const now = clock.now();
        const list =
          status === undefined
            ? await listBatches(database, teamId, page)
            : await listCompletedBatches(database, teamId, { ...page, now });
        return { object: "list" as const, ...list, data: list.data.map((batch) => showBatch(batch, now, baseUrl)) };
      },
    }),
    defineRoute({
      ...shared,
      name: "getBatch",
      method: "GET",
      path: "/batches/:id",
      summary: "Read a batch; each reading of one that is over gives a fresh resultsUrl",
      params,
      response: batchSchema,
      handle: async ({ params: { id } }, { caller, headers, baseUrl }) => {
        requireBeta(headers, BATCHES_BETA);
        return showBatch(await getBatch(database, caller.teamId, id), clock.now(), baseUrl);
      },
    }),
    defineRoute({
      ...shared,
      name: "cancelBatch",
      method: "POST",
      path: "/batches/:id/cancel",
      summary: "Call a batch off; what was answered by then is kept",
      params,
      response: batchSchema,
      handle: async ({ params: { id } }, { caller, headers, baseUrl }) => {
        requireBeta(headers, BATCHES_BETA);
        return showBatch(await cancelBatch(database, caller.teamId, id), clock.now(), baseUrl);
      },
    }),
    defineRoute({
      ...shared,
      name: "deleteBatch",
      method: "DELETE",
      path: "/batches/:id",
      summary: "Delete a batch that is over, and its results",
      params,
      response: z.object({ id: z.string(), object: z.literal("batch.deleted"), deleted: z.literal(true) }),
      handle: async ({ params: { id } }, { caller, headers }) => {
        requireBeta(headers, BATCHES_BETA);
        await deleteBatch(database, caller.teamId, id);
        return { id, object: "batch.deleted" as const, deleted: true as const };
      },
    }),
    defineRoute({
      name: "downloadBatchResults",
      method: "GET",
      path: "/batches/:id/results",
      tag: shared.tag,
      access: "open",
      summary: "Download what a batch was answered: the address that the batch tells",
      params,
      query: z.object({
        expires: z.string().regex(/^\d{1,12}$/),
        signature: z.string().regex(/^[0-9a-f]{64}$/),
      }),
      replyMediaType: "application/jsonl",
      response: z.string(),
      handle: async ({ params: { id }, query }) => {
        const batch = await openResults(deps, id, query);
        return bytesReply(Readable.from(writeResults(deps, batch), { objectMode: false }), {
          mediaType: "application/jsonl",
          headers: {
            "content-disposition": `attachment; filename="${batch.id}.jsonl"`,
            "cache-control": "private, no-store",
            "x-content-type-options": "nosniff",
          },
        });
      },
    }),
  ];
}
