import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { WantedCode } from "./show-code.ts";

/** The most results that a caller may hand back. */
const MAX_GIVEN = 100;

/** The code results among a call's arguments. A range from 0, as some callers count, begins at the first line. */
export function wantedOf(args: JsonObject): readonly WantedCode[] {
  const given = args["codeResults"];
  return (Array.isArray(given) ? given : []).slice(0, MAX_GIVEN).flatMap((result) => {
    const block = memberOf(result, "codeBlock");
    const path = memberOf(block, "relativeWorkspacePath");
    if (typeof path !== "string" || path === "") return [];
    const range = memberOf(block, "range");
    const start = memberOf(memberOf(range, "startPosition"), "line");
    const end = memberOf(memberOf(range, "endPosition"), "line");
    const score = memberOf(result, "score");
    const lines =
      range === undefined
        ? undefined
        : { start: typeof start === "number" ? start : 1, end: typeof end === "number" ? end : 1 };
    return [{ path, lines, score: typeof score === "number" ? score : 0, signatureLines: [] }];
  });
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value[name] : undefined;
}
