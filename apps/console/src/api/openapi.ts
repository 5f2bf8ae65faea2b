import { isRecord } from "./send.ts";
import { say } from "../words/say.ts";

/** A JSON Schema as it stands in the document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The parts of /openapi.json that the console reads. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, JsonSchema>> };
}

/** One value of a path, a query or a header. */
export interface Parameter {
  readonly name: string;
  readonly place: "path" | "query" | "header";
  readonly isRequired: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

/** What an operation takes as its body. */
export type BodyKind =
  | { readonly kind: "none" }
  | { readonly kind: "json"; readonly schema: JsonSchema; readonly isRequired: boolean }
  | { readonly kind: "bytes" };

/** One endpoint. */
export interface Operation {
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body: BodyKind;
  readonly replyMediaType: string;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Every endpoint of the document, in its order. One that the server gains tomorrow is in the list tomorrow. */
export function listOperations(document: OpenApiDocument): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const raw = methods[method.toLowerCase()];
      return isRecord(raw) ? [readOperation(path, method, raw)] : [];
    }),
  );
}

/** The schema that a reference stands for; anything else as it is. */
export function resolveSchema(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const { $ref: reference, ...beside } = schema;
  if (typeof reference !== "string") return schema;
  const found = document.components?.schemas?.[reference.replace("#/components/schemas/", "")] ?? {};
  return { ...resolveSchema(document, found), ...beside };
}

function readOperation(path: string, method: Operation["method"], raw: Readonly<Record<string, unknown>>): Operation {
  const tags = Array.isArray(raw["tags"]) ? raw["tags"] : [];
  const parameters = Array.isArray(raw["parameters"]) ? raw["parameters"] : [];
  return {
    id: textOf(raw["operationId"]) || `${method} ${path}`,
    method,
    path,
    tag: textOf(tags[0]) || say("api.otherTag"),
    summary: textOf(raw["summary"]) || path,
    description: textOf(raw["description"]),
    parameters: parameters.filter(isRecord).map(readParameter),
    body: readBody(raw["requestBody"]),
    replyMediaType: readReplyMediaType(raw["responses"]),
  };
}

function readParameter(raw: Readonly<Record<string, unknown>>): Parameter {
  const place = raw["in"];
  return {
    name: textOf(raw["name"]),
    place: place === "path" || place === "header" ? place : "query",
    isRequired: raw["required"] === true,
    description: textOf(raw["description"]),
    schema: isRecord(raw["schema"]) ? raw["schema"] : {},
  };
}

function readBody(raw: unknown): BodyKind {
  if (!isRecord(raw) || !isRecord(raw["content"])) return { kind: "none" };
  const json = raw["content"]["application/json"];
  if (!isRecord(json)) return { kind: "bytes" };
  return { kind: "json", schema: isRecord(json["schema"]) ? json["schema"] : {}, isRequired: raw["required"] === true };
}

function readReplyMediaType(responses: unknown): string {
  if (!isRecord(responses)) return "application/json";
  const good = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  if (!isRecord(good) || !isRecord(good["content"])) return "application/json";
  return Object.keys(good["content"])[0] ?? "application/json";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
