import { AppError } from "@quarry/base";
import { z } from "zod";
import type { InputIssue } from "./error-body.ts";

/** The part of a request that a schema checks; each has its own words and tag on the wire. */
export type InputPart = "params" | "query" | "body";

const WORDS: Readonly<Record<InputPart, { readonly text: string; readonly tag: string }>> = {
  params: { text: "Invalid request path", tag: "INVALID_REQUEST" },
  query: { text: "Invalid request query", tag: "INVALID_REQUEST_QUERY" },
  body: { text: "Invalid request body", tag: "INVALID_REQUEST_BODY" },
};

/** How many refused fields one message names. */
const MAX_NAMED_ISSUES = 5;
const MAX_SHOWN_CHARACTERS = 60;

/** What `schema` makes of `value`; throws `invalid_request` that names each refused field, what was expected, and the hint. */
export function checkInput(schema: z.ZodType, part: InputPart, value: unknown, hint?: string): unknown {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const allowed = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const issues = withoutFollowing(result.error.issues).flatMap((issue) => describeIssue(issue, allowed));
  const named = issues
    .slice(0, MAX_NAMED_ISSUES)
    .map((issue) => (issue.path === "" ? "" : `${issue.path}: `) + issue.message);
  const more = issues.length > MAX_NAMED_ISSUES ? `; and ${issues.length - MAX_NAMED_ISSUES} more` : "";
  const said = `${WORDS[part].text} | Validation error: ${named.join("; ")}${more}`;
  throw new AppError("invalid_request", hint === undefined ? said : `${said}. ${hint}`, {
    details: { tag: WORDS[part].tag, issues },
  });
}

type Issue = z.core.$ZodIssue;

/** A value of the wrong type has no size to complain of: what else is said of it is left out. */
function withoutFollowing(issues: readonly Issue[]): readonly Issue[] {
  const mistyped = new Set(issues.filter(({ code }) => code === "invalid_type").map(({ path }) => toPath(path)));
  return issues.filter(({ code, path }) => code === "invalid_type" || !mistyped.has(toPath(path)));
}

/** `allowed` are the fields of the whole; those of its parts are not listed. */
function describeIssue(issue: Issue, allowed: readonly string[]): readonly InputIssue[] {
  const path = toPath(issue.path);
  if (issue.code === "unrecognized_keys") {
    const message = `unknown field; ${path === "" && allowed.length > 0 ? `allowed are ${allowed.join(", ")}` : "leave it out"}`;
    return issue.keys.map((key) => ({ path: joinPath(path, key), message }));
  }
  if (issue.code === "invalid_union") {
    // An option whose own fields were wrong explains more than "none of the options".
    const closest = closestOption(issue.errors);
    if (closest !== undefined) {
      return closest.flatMap((inner) => describeIssue({ ...inner, path: [...issue.path, ...inner.path] }, allowed));
    }
  }
  return [{ path, message: explain(issue) }];
}

/** The option that accepted the value's type and complained further in; undefined when none or several did. */
function closestOption(options: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const deeper = options.filter(
    (issues) => issues.length > 0 && issues.every((issue) => issue.path.length > 0 || issue.code !== "invalid_type"),
  );
  return deeper.length === 1 ? deeper[0] : undefined;
}

function explain(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${TYPE_WORDS[issue.expected] ?? issue.expected}, received ${describeValue(issue.input)}`;
    case "invalid_value":
      return `expected ${oneOf(issue.values)}, received ${describeValue(issue.input)}`;
    case "too_small":
      return `expected ${amount(issue.origin, "at least", issue.minimum)}, received ${describeSize(issue.input)}`;
    case "too_big":
      return `expected ${amount(issue.origin, "at most", issue.maximum)}, received ${describeSize(issue.input)}`;
    case "not_multiple_of":
      return `expected a multiple of ${issue.divisor}, received ${describeValue(issue.input)}`;
    case "invalid_format":
      return `${expectedFormat(issue)}, received ${describeValue(issue.input)}`;
    case "invalid_union":
      return `expected ${oneOf(expectedTypes(issue.errors))}, received ${describeValue(issue.input)}`;
    case "unrecognized_keys":
    case "invalid_key":
    case "invalid_element":
    case "custom":
      return issue.message;
  }
}

/** A schema's own words say more than a pattern. */
function expectedFormat(issue: Issue & { readonly code: "invalid_format" }): string {
  if (issue.message.startsWith("expected ")) return issue.message;
  return `expected ${FORMAT_WORDS[issue.format] ?? `the format ${issue.pattern ?? issue.format}`}`;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
  undefined: "nothing",
  date: "a date",
};

const FORMAT_WORDS: Readonly<Record<string, string>> = {
  datetime: "an ISO 8601 date and time",
  date: "a date as YYYY-MM-DD",
  url: "a URL",
  email: "an e-mail address",
  uuid: "a UUID",
};

function expectedTypes(options: readonly (readonly Issue[])[]): readonly string[] {
  const words = options.flatMap((issues) =>
    issues.flatMap((issue) => {
      if (issue.code === "invalid_type") return [TYPE_WORDS[issue.expected] ?? issue.expected];
      if (issue.code === "invalid_value") return issue.values.map((value) => JSON.stringify(value));
      return issue.code === "invalid_format" ? [FORMAT_WORDS[issue.format] ?? issue.format] : [];
    }),
  );
  return [...new Set(words)];
}

function oneOf(values: readonly unknown[]): string {
  const shown = values.map((value) =>
    typeof value === "string" && !value.includes(" ") ? quote(value) : String(value),
  );
  if (shown.length === 0) return "another value";
  return shown.length === 1 ? (shown[0] ?? "") : `one of ${shown.join(", ")}`;
}

function amount(origin: string, bound: string, figure: number | bigint): string {
  if (origin === "string") return `${bound} ${figure} characters`;
  if (origin === "array" || origin === "set") return `${bound} ${figure} entries`;
  return `${bound} ${figure}`;
}

function describeSize(value: unknown): string {
  if (typeof value === "string") return String(value.length);
  return Array.isArray(value) ? String(value.length) : describeValue(value);
}

function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (typeof value === "string") return quote(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : typeof value;
}

function quote(text: string): string {
  const short = text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
  return JSON.stringify(short);
}

function toPath(keys: readonly PropertyKey[]): string {
  return keys.reduce<string>((path, key) => joinPath(path, key), "");
}

function joinPath(path: string, key: PropertyKey): string {
  if (typeof key === "number") return `${path}[${key}]`;
  return path === "" ? String(key) : `${path}.${String(key)}`;
}
