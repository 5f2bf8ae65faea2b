import type { JsonObject } from "@bufbuild/protobuf";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";

const ajv = new Ajv({ strict: false, allErrors: true, formats: { int32: true } });
const compiled = new WeakMap<JsonObject, ValidateFunction>();

/** Checks a value by a draft-07 schema; one short sentence per problem, each naming the field. */
export function checkArgs(schema: JsonObject, value: JsonObject): readonly string[] {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = ajv.compile(schema);
    compiled.set(schema, validate);
  }
  return validate(value) ? [] : (validate.errors ?? []).map(describe);
}

function describe(error: ErrorObject): string {
  const field = error.instancePath.slice(1).replaceAll("/", ".");
  switch (error.keyword) {
    case "required":
      return `${[field, String(error.params["missingProperty"])].filter((part) => part !== "").join(".")} is missing`;
    case "enum":
      return `${field} must be one of ${JSON.stringify(error.params["allowedValues"])}`;
    case "additionalProperties":
      return `${String(error.params["additionalProperty"])} is not an argument of it`;
    default:
      return `${field === "" ? "it" : field} ${error.message ?? "does not fit"}`;
  }
}
