import { AppError } from "@quarry/base";
import { Ajv, type ErrorObject } from "ajv";
import addFormatsModule from "ajv-formats";
import { RE2JS } from "re2js";

/** What a check found: nothing wrong, or where the value differs and how. */
export type SchemaVerdict =
  { readonly kind: "valid" } | { readonly kind: "invalid"; readonly path: string; readonly message: string };

/** Nesting deeper than this is not a shape anyone fills by hand. */
const MAX_DEPTH = 30;
const MAX_PARTS = 2_000;
const MAX_SCHEMA_CHARACTERS = 100_000;

// The package is CommonJS; its types name the function as the default of the default.
const addFormats = addFormatsModule as unknown as (ajv: Ajv) => Ajv;

/**
 * Reads a caller's JSON Schema (draft-07) and returns the check. Throws `invalid_request` with the tag INVALID_JSON_SCHEMA when it is
 * none, is too large, or refers to a schema elsewhere, which is never fetched.
 */
export function compileSchema(schema: unknown): (value: unknown) => SchemaVerdict {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) throw badSchema("expected an object");
  const text = JSON.stringify(schema);
  if (text.length > MAX_SCHEMA_CHARACTERS) throw badSchema(`it has more than ${MAX_SCHEMA_CHARACTERS} characters`);
  const size = measure(schema);
  if (size.depth > MAX_DEPTH) throw badSchema(`it is nested deeper than ${MAX_DEPTH} levels`);
  if (size.parts > MAX_PARTS) throw badSchema(`it is made of more than ${MAX_PARTS} parts`);
  // A fresh instance each time: ids of one caller's schema never meet another's.
  const ajv = addFormats(new Ajv({ strict: false, allErrors: false, logger: false, code: { regExp: linearRegExp } }));
  let validate: ReturnType<Ajv["compile"]>;
  try {
    validate = ajv.compile(schema);
  } catch (cause) {
    throw badSchema(cause instanceof Error ? cause.message : "it cannot be read");
  }
  return (value) => {
    if (validate(value)) return { kind: "valid" };
    const [first] = validate.errors ?? [];
    return { kind: "invalid", path: pathOf(first), message: first?.message ?? "does not match" };
  };
}

/** A caller's `pattern` meets text of any length; this engine takes time that grows with the text and no faster. */
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    return { test: (text: string) => compiled.matcher(text).find() };
  },
  { code: "linearRegExp" },
);

function pathOf(error: ErrorObject | undefined): string {
  return error === undefined || error.instancePath === "" ? "/" : error.instancePath;
}

/** Without recursion: the depth is what is in doubt. */
function measure(value: unknown): { readonly depth: number; readonly parts: number } {
  let depth = 0;
  let parts = 0;
  let level: readonly unknown[] = [value];
  while (level.length > 0 && depth <= MAX_DEPTH && parts <= MAX_PARTS) {
    depth += 1;
    parts += level.length;
    level = level.flatMap((one): readonly unknown[] =>
      typeof one === "object" && one !== null ? Object.values(one) : [],
    );
  }
  return { depth, parts };
}

function badSchema(why: string): AppError {
  return new AppError("invalid_request", `Invalid JSON schema: ${why.slice(0, 300)}`, {
    details: { tag: "INVALID_JSON_SCHEMA" },
  });
}
