import type { Entity } from "../entities/entity.ts";
import { quoteAt, type Evidence, type PageText } from "../evidence.ts";
import type { Finding } from "./finding.ts";
import { judgeClaim } from "./judge-claim.ts";
import { readCriterion, type Condition } from "./read-criterion.ts";
import { findSeats } from "./rule-place.ts";
import { findMatching, objectStems } from "./rule-statement.ts";
import { findAmounts, findYears, trapOf } from "./rule-values.ts";
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
    references: deciding.flatMap(({ references }) => references).slice(0, MAX_REFERENCES),
  };
}

function judgeCondition(condition: Condition, { pages, vectorsOf }: RuleQuestion, context: SubjectContext): Verdict {
  const findings = pages.flatMap((page) => {
    const statements = readStatements(page);
    const found = [...findingsOf(condition, statements, context), ...pageDate(condition, page, statements)];
    if (found.length === 0) found.push(...claimFindings(condition, statements, { context, vectorsOf }));
    const own = context.isOwn(page) ? 1.2 : 1;
    return found.map((one) => ({ ...one, weight: one.weight * own }));
  });
  return weigh(condition, findings);
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

/** A page knows when it was published, also where its text does not say so. */
function pageDate(condition: Condition, page: PageText, statements: readonly Statement[]): readonly Finding[] {
  const first = statements[0];
  const year = Number(/^\d{4}/.exec(page.publishedDate ?? "")?.[0] ?? NaN);
  if (condition.kind !== "year" || condition.event !== "published" || first === undefined || Number.isNaN(year))
    return [];
  const { min, max } = condition.range;
  const fits = (min === null || year >= min) && (max === null || year <= max);
  const satisfied = fits !== condition.isNegated ? "yes" : "no";
  return [{ statement: first, satisfied, why: `the page gives ${page.publishedDate ?? ""} as its date`, weight: 2 }];
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
      return flip(condition, findSeats(condition, statements, context));
    case "statement":
      return findMatching(condition, statements, context);
  }
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

function weigh(condition: Condition, findings: readonly Finding[]): Verdict {
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
  const isNew = (quote: Evidence, index: number): boolean =>
    quotes.findIndex(({ url, start }) => url === quote.url && start === quote.start) === index;
  return quotes.filter(isNew).slice(0, MAX_REFERENCES);
}
