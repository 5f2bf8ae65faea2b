import type { JsonObject } from "@bufbuild/protobuf";

/**
 * Accepts names of arguments that older notes of the protocol use and the real
 * messages do not have, as models that learned them still send them.
 */
export function acceptSeedNames(typeName: string, args: JsonObject): JsonObject {
  if (typeName !== "aiserver.v1.RipgrepRawSearchParams") return args;
  const { case_sensitive: snake, caseSensitive = snake, max_results: max, maxResults = max, ...rest } = args;
  return {
    ...rest,
    ...(typeof caseSensitive === "boolean" ? { caseInsensitive: !caseSensitive } : {}),
    ...(maxResults === undefined ? {} : { headLimit: maxResults }),
  };
}
