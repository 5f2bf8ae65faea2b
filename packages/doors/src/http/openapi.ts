import { AppError } from "@quarry/base";
import { errorSchemas } from "@quarry/contract";
import { z } from "zod";
import { ERROR_TABLE } from "./error-table.ts";
import { familyOfPath } from "./error-family.ts";
import type { Route } from "./route.ts";

/** A JSON object of the document. */
type Json = Record<string, unknown>;

/** What the document says of the server as a whole. */
export interface OpenApiFacts {
  readonly version: string;
  readonly publicUrl?: string | undefined;
}

/** Makes the OpenAPI 3.1 document of the routes, from the schemas that check their requests. */
export function buildOpenApi(routes: readonly Route[], facts: OpenApiFacts): Json {
  const schemas = new Map<string, Json>();
  const shown = routes.filter((route) => route.hidden !== true);
  // Replies first: what is sent in another shape under the same name is then seen, and named for itself.
  for (const { response } of shown) toSchema(response, "output", schemas);
  const paths: Record<string, Json> = {};
  for (const route of shown) {
    const path = route.path.replace(/:([A-Za-z]+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(route, schemas) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Quarry",
      version: facts.version,
      description:
        "The web and a workspace for AI agents. Wire-compatible with Exa; Quarry's own routes are below /quarry/v1.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: facts.publicUrl ?? "/" }],
    tags: [...new Set(shown.map((route) => route.tag))].map((name) => ({ name })),
    security: [{ apiKey: [] }, { bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
        bearer: { type: "http", scheme: "bearer" },
      },
      schemas: Object.fromEntries([...schemas].sort(([one], [other]) => (one < other ? -1 : 1))),
    },
  };
}

function describeOperation(route: Route, schemas: Map<string, Json>): Json {
  const scope = route.access === "open" || route.access === "any" ? "" : `Needs the scope \`${route.access}\`.`;
  const description = [route.description, scope].filter((part) => part !== undefined && part !== "").join(" ");
  return {
    operationId: route.name,
    tags: [route.tag],
    summary: route.summary,
    ...(description === "" ? {} : { description }),
    ...(route.access === "open" ? { security: [] } : {}),
    parameters: [
      ...describeParameters(route.params, "path", schemas),
      ...describeParameters(route.query, "query", schemas),
      ...(route.creates === undefined ? [] : [IDEMPOTENCY_PARAMETER]),
    ],
    ...(route.body === undefined ? {} : { requestBody: describeBody(route, route.body, schemas) }),
    responses: describeResponses(route, schemas),
  };
}

const IDEMPOTENCY_PARAMETER: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "The same key and body within 24 hours give the same reply and no second effect; another body is a 409.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

function describeParameters(
  schema: z.ZodType | undefined,
  place: "path" | "query",
  schemas: Map<string, Json>,
): readonly Json[] {
  if (schema === undefined) return [];
  const { properties, required } = toSchema(schema, "input", schemas);
  if (!isJson(properties)) throw new AppError("internal", `a ${place} schema must be an object with known fields`);
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = isJson(property) ? property : {};
    return {
      name,
      in: place,
      required: place === "path" || needed.includes(name),
      ...(typeof description === "string" ? { description } : {}),
      schema: rest,
    };
  });
}

function describeBody(route: Route, body: z.ZodType, schemas: Map<string, Json>): Json {
  if (route.bodyKind === "bytes") return { required: true, content: { "application/octet-stream": {} } };
  return {
    required: !body.safeParse({}).success,
    content: { "application/json": { schema: toSchema(body, "input", schemas) } },
  };
}

function describeResponses(route: Route, schemas: Map<string, Json>): Json {
  const family = familyOfPath(route.path);
  const errorContent = { "application/json": { schema: toSchema(errorSchemas[family], "output", schemas) } };
  const statuses = [
    400,
    ...(route.access === "open" ? [] : [401, 403]),
    ...(route.meter === undefined ? [] : [402, 429]),
    ...(route.params === undefined ? [] : [404]),
    ...(route.creates === undefined ? [] : [409]),
    500,
  ];
  return {
    [String(route.status ?? 200)]: {
      description: "The answer.",
      headers: { "x-request-id": { schema: { type: "string" } } },
      content: {
        [route.replyMediaType ?? "application/json"]: { schema: toSchema(route.response, "output", schemas) },
      },
    },
    ...Object.fromEntries(
      statuses.map((status) => [String(status), { description: ERROR_WORDS.get(status), content: errorContent }]),
    ),
  };
}

/** A sentence per status, from the table that maps the codes. */
const ERROR_WORDS = new Map(
  Object.entries(ERROR_TABLE).map(([code, wire]) => [
    wire.status,
    `${sentence(code)} (tag ${wire.tag} or a closer one).`,
  ]),
);

function sentence(code: string): string {
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The JSON Schema of `schema`, with its named parts moved to `schemas`. */
function toSchema(schema: z.ZodType, io: "input" | "output", schemas: Map<string, Json>): Json {
  const made = describeSchema(schema, io);
  const renamed = io === "input" ? findOwnInputs(made.parts, schemas) : new Set<string>();
  for (const [name, part] of made.parts) {
    hoist(renamed.has(name) ? `${name}Input` : name, rewriteReferences(part, renamed), schemas);
  }
  return rewriteReferences(made.own, renamed);
}

/** Of a text that is made into a number, as in a query, zod tells no default; readers of the page want it all the same. */
function tellDefault(made: {
  readonly zodSchema: z.core.$ZodTypes;
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  const { def } = made.zodSchema._zod;
  if (def.type === "default" && typeof def.defaultValue === "number") made.jsonSchema.default ??= def.defaultValue;
}

function describeSchema(
  schema: z.ZodType,
  io: "input" | "output",
): { readonly own: Json; readonly parts: ReadonlyMap<string, Json> } {
  const made: Json = z.toJSONSchema(schema, { io, unrepresentable: "any", reused: "inline", override: tellDefault });
  const { $defs: definitions, ...own } = made;
  delete own["$schema"]; // OpenAPI 3.1 has a default dialect
  const parts = Object.entries(isJson(definitions) ? definitions : {});
  return { own, parts: new Map(parts.map(([name, part]) => [name, isJson(part) ? part : {}])) };
}

/** The parts that are sent otherwise than they are replied (defaults left out, say), and those that hold such a part. */
function findOwnInputs(inputs: ReadonlyMap<string, Json>, schemas: ReadonlyMap<string, Json>): ReadonlySet<string> {
  const found = new Set<string>();
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const [name, part] of inputs) {
      const replied = schemas.get(name);
      const sent = rewriteReferences(part, found);
      if (replied !== undefined && JSON.stringify(sent) !== JSON.stringify(replied)) found.add(name);
    }
  }
  return found;
}

/** A name must mean one thing. */
function hoist(name: string, definition: Json, schemas: Map<string, Json>): void {
  const known = schemas.get(name);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(definition)) {
    throw new AppError("internal", `two schemas are called ${name}; give one another meta id`);
  }
  schemas.set(name, definition);
}

function rewriteReferences(value: unknown, renamed: ReadonlySet<string>): Json {
  const text = JSON.stringify(value).replaceAll(/"#\/\$defs\/([^"]+)"/g, (_, name: string) =>
    JSON.stringify(`#/components/schemas/${renamed.has(name) ? `${name}Input` : name}`),
  );
  const parsed: unknown = JSON.parse(text);
  return isJson(parsed) ? parsed : {};
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
