import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { checkArgs } from "./check-args.ts";
import { keepOwnerFiles } from "./owner-files.ts";
import type { Decision, PolicyRule, RuleMatch } from "./policy-rule.ts";
import type { ToolTier } from "./call-facts.ts";

const SOURCES = ["admin", "user", "workspace"] as const;
/** Whose word a file is. */
export type FileSource = (typeof SOURCES)[number];

/** A file of rules that may be there. */
export interface PolicyFile {
  readonly source: FileSource;
  readonly path: string;
}

/** Reads rules files; unchanged ones are not read again. */
export interface PolicyFileReader {
  readonly read: (files: readonly PolicyFile[]) => readonly PolicyRule[];
}

/** Makes a reader. A file that is not there has no rules; one that cannot be understood denies every call, and says where it is wrong. */
export function createPolicyFileReader(): PolicyFileReader {
  const readers = new Map(
    SOURCES.map((source) => [
      source,
      keepOwnerFiles((text, path) =>
        text === undefined ? [broken({ source, path }, "it cannot be read")] : parsePolicy({ source, path }, text),
      ),
    ]),
  );
  return { read: (files) => files.flatMap(({ source, path }) => readers.get(source)?.(path) ?? []) };
}

/** The rules of a file's text: `{"rules": [{"decision", "tools", "tiers", "hosts", "paths", "args", "costAboveDollars", "reason"}]}`. */
export function parsePolicy(file: PolicyFile, text: string): readonly PolicyRule[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [broken(file, placeOf(text))]; // where it is wrong says more than how
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return [broken(file, "it is no JSON object")];
  const [problem] = checkArgs(POLICY_SCHEMA, value as JsonObject);
  if (problem !== undefined) return [broken(file, problem)];
  return (value as PolicyFileContent).rules.map((rule, index) => toRule(file, index, rule));
}

interface PolicyFileContent {
  readonly rules: readonly ({ readonly decision: Decision; readonly reason?: string } & RuleMatch)[];
}

function toRule(file: PolicyFile, index: number, written: PolicyFileContent["rules"][number]): PolicyRule {
  const { decision, reason, ...match } = written;
  const id = `${file.source}:${index + 1}`;
  return {
    id,
    source: file.source,
    decision,
    match,
    reason: reason ?? `rule ${index + 1} of the ${file.source} policy`,
  };
}

function broken(file: PolicyFile, problem: string): PolicyRule {
  return {
    id: `${file.source}:broken`,
    source: file.source,
    decision: "deny",
    match: {},
    reason: `the ${file.source} policy file cannot be used (${problem}); correct it to let tools run`,
  };
}

/** The first line that no JSON could go on from: Node names the position of some errors only. */
function placeOf(text: string): string {
  const lines = text.split("\n");
  const bad = lines.findIndex((_, index) => !canGoOn(lines.slice(0, index + 1).join("\n")));
  return `it is no JSON: line ${bad === -1 ? lines.length : bad + 1}`;
}

function canGoOn(start: string): boolean {
  try {
    JSON.parse(start);
    return true;
  } catch (error) {
    const message = String(error);
    return /Unexpected end|Unterminated/.test(message) || message.includes(`position ${start.length}`);
  }
}

const texts: JsonValue = { type: "array", items: { type: "string", minLength: 1 }, minItems: 1 };
const TIERS: readonly ToolTier[] = ["read", "write", "exec", "network"];

const POLICY_SCHEMA: JsonObject = {
  type: "object",
  required: ["rules"],
  additionalProperties: false,
  properties: {
    rules: {
      type: "array",
      items: {
        type: "object",
        required: ["decision"],
        additionalProperties: false,
        properties: {
          decision: { type: "string", enum: ["allow", "ask", "deny"] },
          tools: texts,
          tiers: { type: "array", items: { type: "string", enum: [...TIERS] }, minItems: 1 },
          hosts: texts,
          paths: texts,
          args: { type: "object" },
          commands: texts,
          mcpTools: texts,
          costAboveDollars: { type: "number", minimum: 0 },
          reason: { type: "string" },
        },
      },
    },
  },
};
