import { createKeySchema } from "@quarry/contract";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { z } from "zod";
import { sampleRoutes, useHttpApp } from "../testing.ts";

const world = useHttpApp({ routes: sampleRoutes({ made: [], gate: undefined, failure: undefined }) });

/** JSON Schema 2020-12 as far as the document uses it; an unknown keyword is a mistake. */
const jsonSchema: z.ZodType = z.lazy(() =>
  z.union([
    z.boolean(),
    z.strictObject({
      $ref: z
        .string()
        .regex(/^#\/components\/schemas\/[A-Za-z0-9._-]+$/)
        .optional(),
      type: z
        .union([z.string(), z.array(z.string())])
        .refine((type) =>
          [type]
            .flat()
            .every((one) => ["object", "array", "string", "number", "integer", "boolean", "null"].includes(one)),
        )
        .optional(),
      title: z.string().optional(),
      description: z.string().optional(),
      default: z.unknown().optional(),
      const: z.unknown().optional(),
      enum: z.array(z.unknown()).min(1).optional(),
      format: z.string().optional(),
      pattern: z
        .string()
        .refine((source) => new RegExp(source, "u") instanceof RegExp)
        .optional(),
      minLength: z.int().optional(),
      maxLength: z.int().optional(),
      minimum: z.number().optional(),
      maximum: z.number().optional(),
      exclusiveMinimum: z.number().optional(),
      exclusiveMaximum: z.number().optional(),
      multipleOf: z.number().optional(),
      minItems: z.int().optional(),
      maxItems: z.int().optional(),
      items: jsonSchema.optional(),
      prefixItems: z.array(jsonSchema).optional(),
      properties: z.record(z.string(), jsonSchema).optional(),
      required: z.array(z.string()).optional(),
      additionalProperties: jsonSchema.optional(),
      propertyNames: jsonSchema.optional(),
      anyOf: z.array(jsonSchema).min(1).optional(),
      oneOf: z.array(jsonSchema).min(1).optional(),
      allOf: z.array(jsonSchema).min(1).optional(),
      not: jsonSchema.optional(),
    }),
  ]),
);

const mediaTypes = z.record(
  z.string().regex(/^[\w.+-]+\/[\w.+-]+$/),
  z.strictObject({ schema: jsonSchema.optional() }),
);

const parameter = z
  .strictObject({
    name: z.string().min(1),
    in: z.enum(["path", "query", "header"]),
    required: z.boolean(),
    description: z.string().optional(),
    schema: jsonSchema,
  })
  .refine((one) => one.in !== "path" || one.required, "a path parameter is required");

const operation = z.strictObject({
  operationId: z.string().regex(/^[a-z][A-Za-z]+$/),
  tags: z.array(z.string()).length(1),
  summary: z.string().min(1),
  description: z.string().optional(),
  security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
  parameters: z.array(parameter),
  requestBody: z.strictObject({ required: z.boolean(), content: mediaTypes }).optional(),
  responses: z.record(
    z.string().regex(/^[1-5]\d\d$/),
    z.strictObject({
      description: z.string().min(1),
      headers: z.record(z.string(), z.strictObject({ schema: jsonSchema })).optional(),
      content: mediaTypes,
    }),
  ),
});

const pathItem = z.partialRecord(z.enum(["get", "put", "post", "patch", "delete"]), operation);

/** The OpenAPI 3.1 structure, strict: a field this document has no use for is a mistake. */
const openApiDocument = z.strictObject({
  openapi: z.literal("3.1.0"),
  info: z.strictObject({
    title: z.string(),
    version: z.string(),
    description: z.string(),
    license: z.strictObject({ name: z.string(), identifier: z.string() }),
  }),
  servers: z.array(z.strictObject({ url: z.string() })).min(1),
  tags: z.array(z.strictObject({ name: z.string() })),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  paths: z.record(z.string().regex(/^\/[^:?]*$/), pathItem),
  components: z.strictObject({
    securitySchemes: z.strictObject({
      apiKey: z.strictObject({ type: z.literal("apiKey"), in: z.literal("header"), name: z.literal("x-api-key") }),
      bearer: z.strictObject({ type: z.literal("http"), scheme: z.literal("bearer") }),
    }),
    schemas: z.record(z.string().regex(/^[A-Za-z0-9._-]+$/), jsonSchema),
  }),
});

type Document = z.output<typeof openApiDocument>;

async function readDocument(): Promise<Document> {
  const reply = await world().call("GET", "/openapi.json", { key: null });
  expect([reply.statusCode, reply.headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
  const result = openApiDocument.safeParse(reply.json());
  expect(result.error?.issues ?? []).toEqual([]);
  return openApiDocument.parse(reply.json());
}

verifies("server:openapi:served", "serves a document with the structure of OpenAPI 3.1", async () => {
  const document = await readDocument();
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
  const unknown = references.map((match) => match[1] ?? "").filter((name) => !(name in document.components.schemas));
  expect([references.length > 20, unknown]).toEqual([true, []]);
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const ids = operations.map((one) => one.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [path, item] of Object.entries(document.paths)) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    for (const one of Object.values(item)) {
      expect(one.parameters.filter((each) => each.in === "path").map((each) => each.name)).toEqual(named);
    }
  }
});

verifies("server:openapi:lists-every-route", "lists every API route that is served", async () => {
  const document = await readDocument();
  const listed = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = world()
    .mounted.filter(({ method, url }) => method !== "HEAD" && !url.startsWith("/v0/"))
    .map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, "{$1}")}`);
  const console = ["/console", "/console/*", "/console/sign-in"];
  const guides = ["/docs", "/docs/*", "/llms.txt", "/.well-known/api-catalog"];
  const pages = ["/", ...console, ...guides, "/openapi.json"];
  expect(served.filter((route) => !listed.includes(route)).sort()).toEqual(pages.map((page) => `GET ${page}`).sort());
  expect(listed.filter((route) => !served.includes(route))).toEqual([]);
});

verifies("server:openapi:from-validating-schemas", "describes bodies by the schemas that check them", async () => {
  const { components, paths } = await readDocument();
  const { $defs } = z.toJSONSchema(createKeySchema, { io: "input" });
  const expected = JSON.stringify($defs?.["CreateApiKey"]).replaceAll("#/$defs/", "#/components/schemas/");
  expect(components.schemas["CreateApiKey"]).toEqual(JSON.parse(expected));
  expect(paths["/quarry/v1/keys"]?.post?.requestBody).toEqual({
    required: true,
    content: { "application/json": { schema: { $ref: "#/components/schemas/CreateApiKey" } } },
  });
});

it("keeps its published operation ids and error shapes", async () => {
  const { paths } = await readDocument();
  const own = Object.entries(paths).filter(([path]) => path.startsWith("/quarry/v1/") || path.startsWith("/team-"));
  expect(own.flatMap(([, item]) => Object.values(item).map((one) => one.operationId)).sort()).toEqual([
    "createKey",
    "createSignInLink",
    "createTeamApiKey",
    "deleteTeamApiKey",
    "getHealth",
    "getKey",
    "getMe",
    "getTeamApiKey",
    "getTeamApiKeyUsage",
    "getUsage",
    "listKeys",
    "listQuarryEvents",
    "listTeamApiKeys",
    "revokeKey",
    "revokePreviousTeamApiKeySecret",
    "rotateKey",
    "rotateTeamApiKey",
    "signIn",
    "signOut",
    "updateKey",
    "updateTeamApiKey",
  ]);
  const errorOf = (path: string, method: "get" | "post"): unknown =>
    paths[path]?.[method]?.responses["401"]?.content["application/json"]?.schema;
  expect([errorOf("/search", "post"), errorOf("/websets/v0/websets", "get"), errorOf("/agent/runs", "post")]).toEqual([
    { $ref: "#/components/schemas/SearchError" },
    { $ref: "#/components/schemas/WebsetsError" },
    { $ref: "#/components/schemas/AgentError" },
  ]);
  expect(Object.keys(paths["/search"]?.post?.responses ?? {})).toEqual([
    "200",
    "400",
    "401",
    "402",
    "403",
    "429",
    "500",
  ]);
});
