import { Readable } from "node:stream";
import { createExportSchema, exportSchema } from "@quarry/contract";
import { getWebset, getWebsetExport } from "@quarry/store";
import {
  beginExport,
  EXPORT_MEDIA_TYPES,
  openDownload,
  readExportFile,
  showExport,
  type ExportDeps,
} from "@quarry/websets";
import { z } from "zod";
import { bytesReply } from "../reply.ts";
import { defineRoute, type Route } from "../route.ts";

const websetParams = z.object({ webset: z.string().describe("The webset's id or externalId.") });
const params = websetParams.extend({ id: z.string().describe("The export's id.") });
const shared = { tag: "Exports", access: "websets" } as const;

/** Exports: a webset as a file, made in the background and downloaded by a signed address. */
export function exportRoutes(deps: ExportDeps): readonly Route[] {
  const { database, clock } = deps;
  return [
    defineRoute({
      ...shared,
      name: "createExport",
      method: "POST",
      path: "/websets/v0/websets/:webset/exports",
      summary: "Write a webset to a file",
      description:
        "The file holds the items of one moment, also while the webset runs, every verdict and value with the addresses of " +
        "its evidence. Read the export until it is completed; its downloadUrl needs no key and works for an hour.",
      status: 201,
      creates: true,
      params: websetParams,
      body: createExportSchema,
      response: exportSchema,
      handle: async ({ params: { webset }, body: { format } }, { caller, newId, baseUrl }) => {
        const wish = { id: newId("export"), teamId: caller.teamId, webset, format, baseUrl };
        return showExport(await beginExport(deps, wish), clock.now());
      },
    }),
    defineRoute({
      ...shared,
      name: "getExport",
      method: "GET",
      path: "/websets/v0/websets/:webset/exports/:id",
      summary: "Read an export; each reading gives a fresh downloadUrl",
      params,
      response: exportSchema,
      handle: async ({ params: { webset: reference, id } }, { caller, baseUrl }) => {
        const webset = await getWebset(database, caller.teamId, reference);
        return showExport(await getWebsetExport(database, caller.teamId, webset.id, id), clock.now(), baseUrl);
      },
    }),
    defineRoute({
      name: "downloadExport",
      method: "GET",
      path: "/websets/v0/websets/:webset/exports/:id/download",
      tag: shared.tag,
      access: "open",
      summary: "Download the file of an export: the address that the export tells",
      params,
      query: z.object({
        expires: z.string().regex(/^\d{1,12}$/),
        signature: z.string().regex(/^[0-9a-f]{64}$/),
      }),
      replyMediaType: "application/octet-stream",
      response: z.string(),
      handle: async ({ params: { id }, query }) => {
        const written = await openDownload(deps, id, query);
        return bytesReply(Readable.from(readExportFile(deps.blobs, written), { objectMode: false }), {
          mediaType: EXPORT_MEDIA_TYPES[written.format],
          headers: {
            "content-length": String(written.bytes ?? 0),
            "content-disposition": `attachment; filename="${written.websetId}.${written.format}"`,
            "cache-control": "private, no-store",
            "x-content-type-options": "nosniff",
          },
        });
      },
    }),
  ];
}
