import { MAX_QUERY_CHARACTERS } from "@quarry/contract";

/** Why nothing can be searched for by these words, as the end of a sentence about them; undefined when it can. */
export function findQueryFault(query: string): string | undefined {
  if (query.trim() === "") return "must not be empty";
  if (query.length <= MAX_QUERY_CHARACTERS) return undefined;
  return `must have at most ${MAX_QUERY_CHARACTERS} characters, not ${query.length}`;
}
