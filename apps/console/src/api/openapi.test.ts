import { expect, it } from "vitest";
import { listOperations, resolveSchema, type OpenApiDocument } from "./openapi.ts";

const document: OpenApiDocument = {
  paths: {
    "/search": {
      post: {
        operationId: "search",
        tags: ["Search"],
        summary: "Search",
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Search" } } },
        },
        responses: { "200": { content: { "application/json": {} } } },
      },
    },
    "/things/{id}/events": {
      get: {
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        responses: { "200": { content: { "text/event-stream": {} } } },
      },
      delete: { operationId: "dropThing", requestBody: { content: { "application/octet-stream": {} } } },
    },
  },
  components: { schemas: { Search: { type: "object", title: "Search" } } },
};

it("lists every endpoint with its parameters, its body and the kind of its reply", () => {
  const bare = { tag: "Other", description: "", parameters: [], replyMediaType: "application/json" };
  expect(listOperations(document)).toEqual([
    {
      ...bare,
      id: "search",
      method: "POST",
      path: "/search",
      tag: "Search",
      summary: "Search",
      body: { kind: "json", schema: { $ref: "#/components/schemas/Search" }, isRequired: true },
    },
    {
      ...bare,
      id: "GET /things/{id}/events",
      method: "GET",
      path: "/things/{id}/events",
      summary: "/things/{id}/events",
      parameters: [{ name: "id", place: "path", isRequired: true, description: "", schema: { type: "string" } }],
      body: { kind: "none" },
      replyMediaType: "text/event-stream",
    },
    {
      ...bare,
      id: "dropThing",
      method: "DELETE",
      path: "/things/{id}/events",
      summary: "/things/{id}/events",
      body: { kind: "bytes" },
    },
  ]);
});

it("follows a reference and keeps what stands beside it", () => {
  const schema = { $ref: "#/components/schemas/Search", description: "mine" };
  expect(resolveSchema(document, schema)).toEqual({ type: "object", title: "Search", description: "mine" });
  expect(resolveSchema(document, { $ref: "#/components/schemas/Nowhere" })).toEqual({});
});
