import type { Entity } from "../entities/entity.ts";
import { quoteAt, type Evidence, type PageText } from "../evidence.ts";
import { objectStems } from "./asked-words.ts";
import type { Finding } from "./finding.ts";
import { judgeClaim } from "./judge-claim.ts";
import { alternativesIn, otherWordings } from "./other-wordings.ts";
import { findPageData } from "./page-data.ts";
import { readCriterion, type Condition } from "./read-criterion.ts";
import { findAddresses } from "./rule-address.ts";
import { findSeats } from "./rule-place.ts";
import { findMatching } from "./rule-statement.ts";
import { findAmounts, findYears } from "./rule-values.ts";
import { trapOf } from "./trap-of.ts";
import { readStatements, type Statement } from "./statements.ts";
import { subjectContext, type SubjectContext } from "./subject.ts";
import type { ClaimEvidence, ClaimVectors } from "./verdict-features.ts";
import type { Satisfied, Verdict } from "./verdict.ts";

const MAX_REFERENCES = 3;

/** One criterion of one entity, for rules. */
export interface RuleQuestion {
  readonly entity: Pick<Entity, "type" | "name" | "aliases" | "url">;
  readonly criterion: string;
  readonly pages: readonly PageText[];
  readonly now?: Date | undefined;
  /** The embeddings of a claim and its sentences, where they are known. */
  readonly vectorsOf?: ((claim: ClaimEvidence) => ClaimVectors | undefined) | undefined;
}

/** The long claims of a criterion with the sentences of each page: those whose words alone may not tell. */
export function claimsOf({ criterion, pages, now }: RuleQuestion): readonly ClaimEvidence[] {
  return readCriterion(criterion, now)
    .filter(isLongClaim)
    .flatMap(({ text: claim }) =>
      pages.map((page) => ({ claim, sentences: readStatements(page).map(({ text }) => text) })),
    );
}

/** Judges a criterion by rules over what the pages say, each part of it on its own: all must hold, one that does not decides. */
export function judgeByRules(question: RuleQuestion): Verdict {
  const { entity, criterion, now } = question;
  const context = subjectContext(entity);
  const parts = readCriterion(criterion, now).map((condition) => judgeCondition(condition, question, context));
  const first = parts[0];
  if (parts.length === 1 && first !== undefined) return first;
  const satisfied: Satisfied = parts.some((part) => part.satisfied === "no")
    ? "no"
    : parts.every((part) => part.satisfied === "yes")
      ? "yes"
      : "unclear";
  const deciding = satisfied === "no" ? parts.filter((part) => part.satisfied === "no") : parts;
  return {
    satisfied,
    reasoning: deciding.map(({ reasoning }) => reasoning).join(" "),
    references: quotesOfAll(deciding),
  };
}

/** Of each part one quote before any has a second, so that none goes without. */
function quotesOfAll(parts: readonly Verdict[]): readonly Evidence[] {
  const turns = Array.from({ length: MAX_REFERENCES }, (_, turn) =>
    parts.flatMap(({ references }) => references[turn] ?? []),
  );
  return distinct(turns.flat()).slice(0, Math.max(MAX_REFERENCES, parts.length));
}

function judgeCondition(condition: Condition, { pages, vectorsOf }: RuleQuestion, context: SubjectContext): Verdict {
  const findings = pages.flatMap((page) => {
    const statements = readStatements(page);
    const found = [
      ...findingsOf(condition, statements, context),
      ...findPageData(condition, page, statements, context),
      ...titleFindings(condition, page, context),
    ];
    if (found.length === 0) found.push(...claimFindings(condition, statements, { context, vectorsOf }));
    const own = context.isOwn(page) ? 1.2 : 1;
    return found.map((one) => ({ ...one, weight: one.weight * own }));
  });
  return weigh(condition, findings);
}

/** The headline of an article says what it reports, also where its text leaves it out; it is shown with every quote of the page. */
function titleFindings(condition: Condition, page: PageText, context: SubjectContext): readonly Finding[] {
  const [first] = readStatements(page);
  const { title, text } = page;
  if (context.names !== null || title === null || first === undefined || text.includes(title)) return [];
  return findingsOf(condition, readStatements({ ...page, text: title }), context)
    .filter(({ satisfied }) => satisfied !== "unclear")
    .map((one) => ({ ...one, statement: first, why: `the page’s title is “${title}”` }));
}

/** A long criterion is hardly ever said in its own words: the model that learnt from judged claims may know it again. */
function claimFindings(
  condition: Condition,
  statements: readonly Statement[],
  { context, vectorsOf }: { readonly context: SubjectContext; readonly vectorsOf: RuleQuestion["vectorsOf"] },
): readonly Finding[] {
  if (!isLongClaim(condition)) return [];
  const evidence = { claim: condition.text, sentences: statements.map(({ text }) => text) };
  const { satisfied, best } = judgeClaim({ ...evidence, vectors: vectorsOf?.(evidence) });
  const statement = statements[best[0] ?? -1];
  if (satisfied !== "yes" || statement === undefined) return [];
  const trap = trapOf(statement, { start: 0, end: statement.text.length }, context, statements, "state");
  return [
    {
      statement,
      satisfied: trap === undefined ? "yes" : "unclear",
      why: "most of its words say the same",
      weight: 0.8,
      trap,
    },
  ];
}

const MIN_CLAIM_WORDS = 6;

function isLongClaim(condition: Condition): boolean {
  return (
    condition.kind === "statement" && !condition.isNegated && objectStems(condition.text).length >= MIN_CLAIM_WORDS
  );
}

function findingsOf(
  condition: Condition,
  statements: readonly Statement[],
  context: SubjectContext,
): readonly Finding[] {
  switch (condition.kind) {
    case "year":
      return flip(condition, findYears(condition, statements, context));
    case "number":
      return flip(condition, findAmounts(condition, statements, context));
    case "place":
      return flip(condition, findPlaced(condition, statements, context));
    case "statement":
      return findAnyWording(condition, statements, context);
  }
}

/** A labelled address is read once. */
function findPlaced(
  condition: Condition & { readonly kind: "place" },
  statements: readonly Statement[],
  context: SubjectContext,
): readonly Finding[] {
  const addresses = findAddresses(condition, statements, context);
  const starts = new Set(addresses.map(({ statement }) => statement.start));
  const seats = findSeats(condition, statements, context);
  return [...addresses, ...seats.filter(({ isHint, statement }) => isHint !== true || !starts.has(statement.start))];
}

/**
 * A statement that says it in more than one of its wordings says it once, and a label alone says nothing where its value stands
 * below it: "Open source" above "No".
 */
function findAnyWording(
  condition: Condition & { readonly kind: "statement" },
  statements: readonly Statement[],
  context: SubjectContext,
): readonly Finding[] {
  const found = new Map<number, Finding>();
  const add = (one: Finding): void => {
    const before = found.get(one.statement.index);
    if (before === undefined || before.satisfied === "unclear") found.set(one.statement.index, one);
  };
  for (const text of otherWordings(condition.text))
    findMatching({ ...condition, text }, statements, context).forEach(add);
  // that it has not the one of two does not deny that it has the other
  for (const text of alternativesIn(condition.text).flatMap(otherWordings))
    for (const one of findMatching({ ...condition, text }, statements, context))
      add(one.satisfied === "no" ? { ...one, satisfied: "unclear" } : one);
  return [...found.values()].filter(({ statement: { index, start, label } }) => {
    const next = statements[index + 1];
    return label !== null || next?.start !== start;
  });
}

/** "Not based in Germany": what answers the one answers the other. */
function flip(condition: Condition, findings: readonly Finding[]): readonly Finding[] {
  if (!condition.isNegated) return findings;
  const turned: Readonly<Record<Satisfied, Satisfied>> = { yes: "no", no: "yes", unclear: "unclear" };
  return findings.map((one) => ({ ...one, satisfied: turned[one.satisfied] }));
}

const RULES: Readonly<Record<Condition["kind"], string>> = {
  year: "year rule",
  number: "number rule",
  place: "place rule",
  statement: "statement rule",
};

function weigh(condition: Condition, all: readonly Finding[]): Verdict {
  const plain = all.filter(({ isHint }) => isHint !== true);
  const findings = plain.some(({ satisfied }) => satisfied !== "unclear") ? plain : all;
  const sum = (wanted: Satisfied): number =>
    findings.filter(({ satisfied }) => satisfied === wanted).reduce((total, { weight }) => total + weight, 0);
  const rule = RULES[condition.kind];
  const yes = sum("yes");
  const no = sum("no");
  if (yes === 0 && no === 0) return undecided(condition, findings, rule);
  if (yes > 0 && no > 0 && Math.max(yes, no) < 2 * Math.min(yes, no)) {
    return {
      satisfied: "unclear",
      reasoning: `By the ${rule}, the pages contradict each other about “${condition.text}”.`,
      references: references(findings.filter(({ satisfied }) => satisfied !== "unclear")),
    };
  }
  const satisfied = yes > no ? "yes" : "no";
  const deciding = findings
    .filter((one) => one.satisfied === satisfied)
    .sort((one, other) => other.weight - one.weight);
  const best = deciding[0];
  return {
    satisfied,
    reasoning: `By the ${rule}, “${best?.statement.text ?? ""}” ${satisfied === "yes" ? "supports" : "contradicts"} “${condition.text}”: ${best?.why ?? ""}.`,
    references: references(deciding),
  };
}

const WHY_NOT: Readonly<Record<NonNullable<Finding["trap"]>, string>> = {
  "other-entity": "is not about this entity",
  negated: "denies a value and gives no other",
  ended: "says that this has ended",
  past: "tells of the past",
  possible: "tells of a plan or a possibility",
};

function undecided(condition: Condition, findings: readonly Finding[], rule: string): Verdict {
  const near = findings[0];
  if (near === undefined) {
    return {
      satisfied: "unclear",
      reasoning: `No page says anything that the ${rule} can check for “${condition.text}”.`,
      references: [],
    };
  }
  const why = near.trap === undefined ? "does not decide it" : WHY_NOT[near.trap];
  return {
    satisfied: "unclear",
    reasoning: `By the ${rule}, “${near.statement.text}” ${why}, so “${condition.text}” is unclear.`,
    references: references([near]),
  };
}

function references(findings: readonly Finding[]): readonly Evidence[] {
  const quotes = findings.flatMap(({ statement }) => quoteAt(statement.page, statement.start, statement.end) ?? []);
  return distinct(quotes).slice(0, MAX_REFERENCES);
}

function distinct(quotes: readonly Evidence[]): readonly Evidence[] {
  return quotes.filter(
    (quote, index) => quotes.findIndex(({ url, start }) => url === quote.url && start === quote.start) === index,
  );
}
