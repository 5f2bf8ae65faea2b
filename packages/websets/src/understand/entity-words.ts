import type { EntityKind } from "../entities/entity.ts";

const COMPANY =
  /\b(?:compan(?:y|ies)|start-?ups?|firms?|business(?:es)?|agenc(?:y|ies)|manufacturers?|suppliers?|vendors?|banks?|brands?|retailers?|organi[sz]ations?|employers?|scale-?ups?|unicorns?|SaaS|providers?|producers?|makers|distributors?|insurers?|law firms?|studios?|fintechs?|venture capital|VCs?|funds?|nonprofits?|NGOs?|universit(?:y|ies)|hospitals?|restaurants?|hotels?|shops?|stores?)\b/gi;
const PERSON =
  /\b(?:people|persons?|engineers?|developers?|founders?|ceos?|ctos?|cfos?|executives?|managers?|researchers?|scientists?|professors?|designers?|investors?|authors?|lawyers?|doctors?|employees|candidates?|experts?|consultants?|directors?|vps?|leaders|who|alumni|journalists?|artists?|students?|marketers?|recruiters?|analysts?|nurses?|teachers?|influencers?)\b/gi;
const PAPER =
  /\b(?:(?:research |scientific |academic )?papers?|preprints?|stud(?:y|ies)|arxiv|publications?|journal articles?|thes[ie]s|clinical trials?|literature)\b/gi;
const ARTICLE =
  /\b(?:articles?|news|blog ?posts?|posts?|essays?|op-?eds?|tutorials?|reports?|press releases?|stories|interviews?|reviews?|guides?|newsletters?)\b/gi;

/** What kind of thing a query lists: the kind whose words come first, since they head the phrase. */
export function detectEntity(query: string): EntityKind {
  const kinds = [
    ["research_paper", PAPER],
    ["article", ARTICLE],
    ["company", COMPANY],
    ["person", PERSON],
  ] as const;
  const found = kinds
    .flatMap(([type, pattern]) => {
      const match = [...query.matchAll(pattern)][0];
      return match === undefined ? [] : [{ type, at: match.index }];
    })
    .sort((one, other) => one.at - other.at);
  const first = found[0];
  if (first !== undefined) return { type: first.type };
  return { type: "custom", description: describeCustom(query) };
}

const MAX_DESCRIPTION = 200;

/** What a query lists in its own words: the phrase before its first condition. */
function describeCustom(query: string): string {
  const bare = query
    .replaceAll(/https?:\/\/\S+/g, " ")
    .replace(/^\s*(?:find|list|show|get|give me|search for|looking for|all|every|the|some|top|best|\d+)\s+/gi, "")
    .trim();
  const head =
    bare
      .split(
        /(?<!\s)\s+(?:that|which|who|with|in|from|for|by|where|near|founded|based|located|under|over|between|since|after|before)\s+|[,.;?]/i,
      )[0]
      ?.trim() ?? bare;
  const text = (head.length >= 2 ? head : bare).slice(0, MAX_DESCRIPTION).trim();
  return text.length >= 2 ? text : "Items that fit the query";
}
