import type { Finding } from "./finding.ts";
import type { Condition } from "./read-criterion.ts";
import { trapOf } from "./rule-values.ts";
import type { Statement } from "./statements.ts";
import type { SubjectContext } from "./subject.ts";
import { contentStems, sameStem, stemWords, type StemmedWord } from "./word-match.ts";

/** Words of criteria that name the entity or its being there, not what is asked of it. */
const LIGHT = new Set(
  contentStems(
    "company companies startup startups business businesses organization organisation firm firms person people article articles paper papers page item entity must currently actively least one have has having based entity should include includes including provide provides offering clearly explicitly specifically",
  ),
);
/** Verbs of having to do with a thing, by what they mean for it. */
const RELATIONS: readonly { readonly asks: RegExp; readonly says: RegExp }[] = [
  {
    asks: /\b(?:mak(?:es?|ing)|manufactur(?:es?|ing|ers?)|produc(?:es?|ing|ers?)|build(?:s|ing)?|builds|develop(?:s|ing|ers?)?|design(?:s|ing)?|makers?)\b/i,
    says: /\b(?:mak(?:e|es|ing|ers?)|made|manufactur\w*|produc(?:e|es|ed|ing|ers?|tion)|build(?:s|ing|ers?)?|built|develop\w*|design\w*|our|engineer(?:s|ed|ing)?|deliver(?:s|ing)?|creat(?:e|es|ing)|suppl(?:y|ies|ier))\b/i,
  },
  {
    asks: /\b(?:offer(?:s|ing)?|provid(?:es?|ing|ers?)|has|have|having|supports?|sells?|selling|features?|includes?)\b/i,
    says: /\b(?:offer\w*|provid\w*|ha(?:s|ve|ving)|support\w*|s(?:ells?|elling|old)|feature\w*|includ\w*|available|our|open|comes? with|with|via|through|use|get|there (?:is|are)|launch\w*|deliver\w*|hold\w*|equipped)\b|\b(?:the|an?)\s+¦|¦\s+(?:is|are|lets?|gives?|helps?)\b/i,
  },
  {
    asks: /\b(?:us(?:es|ing)|use|runs? on|built (?:with|on|in)|powered by)\b/i,
    says: /\b(?:us(?:e|es|ed|ing)|runs? on|built|powered|based on|written in|deploy\w*|our)\b/i,
  },
];
/** What a text has to do with its topic: it has the topic whatever it says of it, also that it is over or must not be. */
const ABOUT =
  /\b(?:about|discuss(?:es|ing)?|cover(?:s|ing)?|mention(?:s|ing)?|address(?:es|ing)?|focus(?:es|ed|ing)? on|relat(?:es|ed|ing) to|topic|describes?|explains?|examines?|stud(?:y|ies)|investigates?)\b/gi;
/** So much of a long criterion's words must stand in one statement; of a short one all must. */
const MIN_COVERED = 0.8;
const SHORT = 4;

/** What the statements of a page say about a criterion in words. */
export function findMatching(
  condition: Condition & { readonly kind: "statement" },
  statements: readonly Statement[],
  context: SubjectContext,
): readonly Finding[] {
  const wanted = objectStems(condition.text);
  if (wanted.length === 0) return [];
  const isTopic = condition.text.search(ABOUT) >= 0;
  const relation = isTopic ? undefined : RELATIONS.find(({ asks }) => asks.test(condition.text));
  return statements.flatMap((statement) => {
    const words = stemWords(statement.text);
    const hits = wanted.map((stem) => bestHit(words, stem));
    const found = hits.filter((hit) => hit !== undefined);
    const needed = wanted.length <= SHORT ? wanted.length : Math.ceil(wanted.length * MIN_COVERED);
    if (found.length < needed) return [];
    const anchor = tightest(words, wanted) ?? {
      start: Math.min(...found.map(({ start }) => start)),
      end: Math.max(...found.map(({ end }) => end)),
    };
    const isSaid =
      relation === undefined || statement.label !== null || relation.says.test(withoutAnchor(statement.text, anchor));
    const trap = isTopic ? undefined : trapOf(statement, anchor, context, statements, "state");
    return [
      toFinding(statement, { trap, isSaid, isNegated: condition.isNegated, covered: found.length / wanted.length }),
    ];
  });
}

/** The words of a criterion that a page must have: without those that name the entity or how it has to do with them. */
export function objectStems(text: string): readonly string[] {
  const bare = text
    .replaceAll(ABOUT, " ")
    .replaceAll(/\b(?:not|never|no|without|does|do|is|are|was|were|has|have|been|its|their|own)\b/gi, " ");
  const stems = contentStems(stripRelations(bare)).filter((stem) => !LIGHT.has(stem));
  return [...new Set(stems)].slice(0, MAX_WORDS);
}

const MAX_WORDS = 24;

/** The relation's verb goes only where it leads: "makes heat pumps", not "software that makes …". */
function stripRelations(text: string): string {
  return text.replace(
    /^\s*(?:the\s+\w+\s+|that\s+|which\s+|who\s+|must\s+|should\s+|currently\s+|actively\s+)*(?:mak(?:es?|ing)|manufactur(?:es?|ing|ers? of)|produc(?:es?|ing|ers? of)|build(?:s|ing)?|develop(?:s|ing|ers? of)?|design(?:s|ing)?|makers? of|offer(?:s|ing)?|provid(?:es?|ing|ers? of)|supports?|sells?|selling|features?|includes?|uses?|using|hold(?:s|ing)?|works? (?:in|on|with)|operates? in|active in|speciali[sz]es? in|focus(?:es|ed)? on)\s+(?:an?\s+|the\s+)?/i,
    " ",
  );
}

function bestHit(words: readonly StemmedWord[], stem: string): StemmedWord | undefined {
  return words.find((word) => word.stem === stem) ?? words.find((word) => sameStem(word.stem, stem));
}

/** The smallest stretch of a statement that has all the words. */
function tightest(
  words: readonly StemmedWord[],
  wanted: readonly string[],
): { readonly start: number; readonly end: number } | undefined {
  const hits = words.flatMap((word) => {
    const which = wanted.findIndex((stem) => word.stem === stem || sameStem(word.stem, stem));
    return which < 0 ? [] : [{ ...word, which }];
  });
  let best: { start: number; end: number } | undefined;
  for (const [from, first] of hits.entries()) {
    const seen = new Set<number>();
    for (const hit of hits.slice(from)) {
      seen.add(hit.which);
      if (seen.size < wanted.length) continue;
      if (best === undefined || hit.end - first.start < best.end - best.start)
        best = { start: first.start, end: hit.end };
      break;
    }
  }
  return best;
}

function withoutAnchor(text: string, { start, end }: { readonly start: number; readonly end: number }): string {
  return `${text.slice(0, start)} ¦ ${text.slice(end)}`;
}

function toFinding(
  statement: Statement,
  {
    trap,
    isSaid,
    isNegated,
    covered,
  }: {
    readonly trap: Finding["trap"];
    readonly isSaid: boolean;
    readonly isNegated: boolean;
    readonly covered: number;
  },
): Finding {
  const weight = (statement.label === null ? 1 : 1.5) * covered;
  const denies = trap === "negated" || trap === "ended";
  if (denies)
    return {
      statement,
      satisfied: isNegated && trap === "negated" ? "yes" : isNegated ? "unclear" : "no",
      why: trap === "ended" ? "it says that this has ended" : "it denies it",
      weight,
      trap: undefined,
    };
  if (trap !== undefined || !isSaid)
    return { statement, satisfied: "unclear", why: "its words are there, but not as a statement of it", weight, trap };
  return {
    statement,
    satisfied: isNegated ? "no" : "yes",
    why: isNegated ? "it states what must not be so" : "it states it",
    weight,
    trap,
  };
}
