import {
  createdImportSchema,
  createImportSchema,
  importSchema,
  listImportsQuerySchema,
  MAX_IMPORT_BYTES,
  pageOf,
  updateImportSchema,
} from "@quarry/contract";
import { getImport, listImports, updateImport } from "@quarry/store";
import { beginImport, receiveUpload, removeImport, showImport, type ImportDeps } from "@quarry/websets";
import { z } from "zod";
import { defineRoute, rawBodySchema, type Route } from "../route.ts";

const params = z.object({ id: z.string().describe("The import's id.") });
const shared = { tag: "Imports", access: "websets" } as const;

/** Imports: announce a file, upload it, read what became of it. */
export function importRoutes(deps: ImportDeps): readonly Route[] {
  const { database, clock } = deps;
  return [
    defineRoute({
      ...shared,
      name: "createImport",
      method: "POST",
      path: "/websets/v0/imports",
      summary: "Announce a CSV file, and get the address to PUT it to",
      description:
        "The address needs no key, works once and for an hour, and takes no more bytes than `size`. The file may have " +
        "any usual delimiter and encoding; its rows can then be the items, the scope or the exclusions of a webset.",
      status: 201,
      creates: "secret",
      meter: "websets",
      body: createImportSchema,
      response: createdImportSchema,
      handle: async ({ body }, { caller, newId, baseUrl }) => {
        const { begun, uploadToken } = await beginImport(deps, body, { id: newId("import"), teamId: caller.teamId });
        return {
          ...showImport(begun),
          uploadUrl: `${baseUrl}/websets/v0/imports/${begun.id}/upload?token=${uploadToken}`,
          uploadValidUntil: begun.uploadValidUntil.toISOString(),
        };
      },
    }),
    defineRoute({
      name: "uploadImport",
      method: "PUT",
      path: "/websets/v0/imports/:id/upload",
      tag: shared.tag,
      access: "open",
      summary: "Upload the CSV of an import: the address its creation told",
      params,
      query: z.object({ token: z.string().min(1).max(200).describe("Part of the address.") }),
      bodyKind: "bytes",
      body: rawBodySchema.optional(),
      maxBodyBytes: MAX_IMPORT_BYTES,
      response: importSchema,
      handle: async ({ params: { id }, query: { token }, body }) => {
        const bytes = body?.bytes ?? Buffer.alloc(0); // there is no body at all when the client sent no bytes
        return showImport(await receiveUpload(deps, id, { token, bytes }));
      },
    }),
    defineRoute({
      ...shared,
      name: "listImports",
      method: "GET",
      path: "/websets/v0/imports",
      summary: "List the team's imports, newest first",
      query: listImportsQuerySchema,
      response: pageOf(importSchema),
      handle: async ({ query }, { caller }) => {
        const page = await listImports(database, caller.teamId, query);
        return { ...page, data: page.data.map(showImport) };
      },
    }),
    defineRoute({
      ...shared,
      name: "getImport",
      method: "GET",
      path: "/websets/v0/imports/:id",
      summary: "Read an import",
      params,
      response: importSchema,
      handle: async ({ params: { id } }, { caller }) => showImport(await getImport(database, caller.teamId, id)),
    }),
    defineRoute({
      ...shared,
      name: "updateImport",
      method: "PATCH",
      path: "/websets/v0/imports/:id",
      summary: "Change an import's title or metadata",
      params,
      body: updateImportSchema,
      response: importSchema,
      handle: async ({ params: { id }, body }, { caller }) => {
        const change = {
          title: body.title,
          metadata: body.metadata === null ? {} : body.metadata,
          now: clock.now(),
        };
        return showImport(await database.transaction((tx) => updateImport(tx, caller.teamId, id, change)));
      },
    }),
    defineRoute({
      ...shared,
      name: "deleteImport",
      method: "DELETE",
      path: "/websets/v0/imports/:id",
      summary: "Delete an import, its rows and its file",
      params,
      response: importSchema,
      handle: async ({ params: { id } }, { caller }) => showImport(await removeImport(deps, caller.teamId, id)),
    }),
  ];
}
