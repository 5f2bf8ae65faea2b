import { toAbsolute, readUrls } from "../extractors/read-urls.ts";
import { askModelForQuery } from "./ask-model.ts";
import { deriveCriteria } from "./derive-criteria.ts";
import { detectEntity } from "./entity-words.ts";
import { formulate } from "./formulate.ts";
import { suggestEnrichments } from "./suggest-enrichments.ts";
import type { UnderstandOutcome, UnderstoodWebset, WebsetQuery } from "./understood-query.ts";

const MAX_SITES = 20;

/**
 * Reads a webset's query: what kind of thing it lists, under which criteria, how to look for it, which sites it names. What
 * the client gave is kept as it is. A model, when there is one, proposes; what it leaves out the rules fill. Rejects only on abort.
 */
export async function understandQuery(request: WebsetQuery): Promise<UnderstandOutcome> {
  request.signal.throwIfAborted();
  const { query, llm } = request;
  if (
    !/\p{L}{2}/u.test(query.replaceAll(/https?:\/\/\S+/g, " ")) &&
    request.criteria === undefined &&
    readUrls(query).length === 0
  ) {
    return {
      kind: "not-understood",
      reason: "the query has no words; say what to list, such as “German companies that make heat pumps”",
    };
  }
  const proposed = llm === undefined ? undefined : await askModelForQuery({ ...request, llm });
  const entity = request.entity ?? proposed?.value?.entity ?? detectEntity(query);
  const given = request.criteria !== undefined && request.criteria.length > 0 ? request.criteria : undefined;
  const criteria = given ?? proposed?.value?.criteria ?? deriveCriteria(query, entity);
  const own = formulate(query, entity, criteria);
  const formulations = [
    ...new Set([...own.slice(0, 1), ...(proposed?.value?.formulations ?? []), ...own.slice(1)]),
  ].slice(0, MAX_FORMULATIONS);
  const understood: UnderstoodWebset = {
    kind: "understood",
    entity,
    criteria,
    formulations,
    enrichments: proposed?.value?.enrichments ?? suggestEnrichments(entity, query),
    namedSites: namedSites(query),
  };
  return proposed === undefined ? understood : { ...understood, usage: proposed.usage };
}

const MAX_FORMULATIONS = 8;

/** Sites are named by addresses or hosts; a company's name is no site. */
function namedSites(query: string): readonly string[] {
  const urls = readUrls(query).flatMap(({ value }) => toAbsolute(value) ?? []);
  return [...new Set(urls)].filter((url) => /^https?:/.test(url)).slice(0, MAX_SITES);
}
