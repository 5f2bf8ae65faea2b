import { AppError } from "@quarry/base";
import { compileSchema } from "@quarry/models";

/** A JSON Schema as it came, once it was found to be one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What an output is to be: a text, or an object of a schema. */
export type OutputWish =
  | { readonly kind: "text"; readonly description: string | undefined }
  | { readonly kind: "object"; readonly schema: JsonSchema };

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
  // Clients name newer drafts; what of those is not known is passed over.
  const schema = Object.fromEntries(Object.entries(given).filter(([name]) => name !== "$schema" && name !== "$id"));
  try {
    compileSchema(schema);
  } catch (thrown) {
    throw broken(field, AppError.from(thrown).message.replace(/^Invalid JSON schema: /, ""), thrown);
  }
  return schema;
}

function broken(field: string, reason: string, cause?: unknown): AppError {
  return new AppError("invalid_request", `${field} is not a JSON Schema that can be used: ${reason.slice(0, 300)}`, {
    cause,
    details: { tag: "INVALID_JSON_SCHEMA", issues: [{ path: field, message: reason.slice(0, 300) }] },
  });
}
