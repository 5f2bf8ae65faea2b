import { AppError } from "@quarry/base";
import { Ajv } from "ajv";
import addFormatsModule from "ajv-formats";

/** A JSON Schema as it came, once it was found to be one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What an output is to be: a text, or an object of a schema. */
export type OutputWish =
  | { readonly kind: "text"; readonly description: string | undefined }
  | { readonly kind: "object"; readonly schema: JsonSchema };

const MAX_SCHEMA_CHARACTERS = 100_000;
const MAX_SCHEMA_PARTS = 2_000;
const MAX_SCHEMA_DEPTH = 30;

/** Reads an `outputSchema`; throws `invalid_request` with the tag INVALID_JSON_SCHEMA when it is none. */
export function readOutputSchema(given: JsonSchema): OutputWish {
  const { type, description } = given;
  if (type === "text") return { kind: "text", description: typeof description === "string" ? description : undefined };
  if (type !== "object" && !(type === undefined && typeof given["properties"] === "object")) {
    throw broken("outputSchema", 'type: expected "text" or "object"');
  }
  return { kind: "object", schema: checkSchema("outputSchema", given) };
}

/** The schema, if it is one that can be worked with; throws as above. `field` is where it stood in the request. */
export function checkSchema(field: string, given: JsonSchema): JsonSchema {
  const text = JSON.stringify(given);
  if (text.length > MAX_SCHEMA_CHARACTERS) throw broken(field, `longer than ${MAX_SCHEMA_CHARACTERS} characters`);
  const size = measure(given);
  if (size.depth > MAX_SCHEMA_DEPTH) throw broken(field, `nested deeper than ${MAX_SCHEMA_DEPTH} levels`);
  if (size.parts > MAX_SCHEMA_PARTS) throw broken(field, `made of more than ${MAX_SCHEMA_PARTS} parts`);
  // Clients name newer drafts; what of those is not known is passed over.
  const schema = Object.fromEntries(Object.entries(given).filter(([name]) => name !== "$schema" && name !== "$id"));
  // A validator of its own for each request: a schema must not meet the ids of another caller's.
  const ajv = new Ajv({ strict: false, allErrors: false, logger: false });
  addFormatsModule.default(ajv);
  try {
    ajv.compile(schema);
  } catch (cause) {
    throw broken(field, cause instanceof Error ? cause.message : "not a JSON Schema", cause);
  }
  return schema;
}

function broken(field: string, reason: string, cause?: unknown): AppError {
  return new AppError("invalid_request", `${field} is not a JSON Schema that can be used: ${reason.slice(0, 300)}`, {
    cause,
    details: { tag: "INVALID_JSON_SCHEMA", issues: [{ path: field, message: reason.slice(0, 300) }] },
  });
}

/** Without recursion: the depth is what is in doubt. */
function measure(value: unknown): { readonly depth: number; readonly parts: number } {
  let depth = 0;
  let parts = 0;
  let level: readonly unknown[] = [value];
  while (level.length > 0 && depth <= MAX_SCHEMA_DEPTH && parts <= MAX_SCHEMA_PARTS) {
    depth += 1;
    parts += level.length;
    level = level.flatMap((one): readonly unknown[] =>
      typeof one === "object" && one !== null ? Object.values(one) : [],
    );
  }
  return { depth, parts };
}
