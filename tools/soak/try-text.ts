import { AppError } from "@quarry/base";
import { chunkText, createAnalyser } from "@quarry/retrieval";
import { parseJson } from "../../packages/doors/src/http/parse-json.ts";
import { readGivenText } from "../../packages/ingest/src/given-text.ts";
import { toDocument } from "../../packages/ingest/src/to-document.ts";
import { meetsTextConditions } from "../../packages/search/src/find/check-text.ts";

/** Texts made to hurt, by name; a document may be given so long a text. */
export const HOSTILE_TEXTS: readonly (readonly [string, () => string])[] = [
  ["a word of 10 MB", () => "a".repeat(10_000_000)],
  ["10 MB of words joined by dashes", () => "a-".repeat(5_000_000)],
  ["10 MB of blanks", () => `a${" ".repeat(10_000_000)}b`],
  ["a number of 10 MB", () => `0.${"1".repeat(10_000_000)}x`],
  ["10 MB without spaces", () => "漢".repeat(3_500_000)],
];

/** Reads a text as a body of JSON; keeps, analyses and checks it as ingestion, the index and a search do. Tells what threw. */
export function tryText(text: string): string | undefined {
  const page = { teamId: "one", url: "https://example.org/a", source: "api", fetchedAt: new Date(0) } as const;
  try {
    toDocument({ ...page, content: { kind: "text", text } }, "snapshot", readGivenText(text));
    createAnalyser().analyseText(text, "en");
    chunkText(text, [], { title: null });
    meetsTextConditions(text, { includeText: ["b"], excludeText: ["c"] });
    parseJson(text);
    return "is JSON";
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_request") return undefined;
    return `threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
}
