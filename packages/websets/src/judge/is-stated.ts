import { isOfAnotherThing, isOfEquipment, isOfOthers } from "./of-others.ts";
import { markBeside } from "./marks.ts";
import type { Statement } from "./statements.ts";

/** Where the words of a criterion stand in a text. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Verbs of having to do with a thing, by what they mean for it. */
const RELATIONS: readonly {
  readonly asks: RegExp;
  readonly says: (text: string, anchor: Stretch) => boolean;
}[] = [
  {
    asks: /\b(?:mak(?:es?|ing)|manufactur(?:es?|ing|ers?)|produc(?:es?|ing|ers?)|build(?:s|ing)?|builds|develop(?:s|ing|ers?)?|design(?:s|ing)?|makers?)\b/i,
    says: (text, anchor) =>
      /\b(?:mak(?:e|es|ing|ers?)|made|manufactur\w*|produc(?:e|es|ed|ing|ers?|tion)|build(?:s|ing|ers?)?|built|develop\w*|design\w*|our|engineer(?:s|ed|ing)?|deliver(?:s|ing)?|creat(?:e|es|ing)|suppl(?:y|ies|ier))\b/i.test(
        withoutAnchor(text, anchor),
      ),
  },
  {
    asks: /\b(?:offer(?:s|ing)?|provid(?:es?|ing|ers?)|has|have|having|holds?|holding|supports?|sells?|selling|features?|includes?)\b/i,
    says: saysHaving,
  },
  {
    asks: /\b(?:us(?:es|ing)|use|runs? on|built (?:with|on|in)|powered by)\b/i,
    says: (text, anchor) =>
      /\b(?:us(?:e|es|ed|ing)|runs? on|built|powered|based on|written in|deploy\w*|our)\b/i.test(
        withoutAnchor(text, anchor),
      ),
  },
];

/** Whether a statement that has the words of a criterion states it, or only speaks of it, of others' having it or of coming to it. */
export function isStated(statement: Statement, found: Stretch, asked: string): boolean {
  const { text } = statement;
  const isCertificate = CERTIFICATE.test(asked);
  const anchor = isCertificate ? withCertified(text, found) : found;
  const mark = markBeside(text, anchor);
  if (mark === "yes") return true;
  if (mark === "mixed" || isBlank(statement, anchor) || isComingTo(text, anchor)) return false;
  const words = text.slice(anchor.start, anchor.end);
  // one word of many may be missing, but not this one
  if (isCertificate && !CERTIFICATE.test(text)) return false;
  if (DEGREE.test(asked)) return hasDegree(text, anchor);
  if ((CERTIFIED.test(words) || asksAttribute(asked, words)) && isOfAnotherThing(text, anchor)) return false;
  const relation = RELATIONS.find(({ asks }) => asks.test(asked));
  const isSo = relation === undefined || isCertified(text, anchor);
  if (isSo && (isOfOthers(text, anchor.start) || (isCertificate && isOfEquipment(text, anchor.start)))) return false;
  return isSo || statement.label !== null || relation.says(text, anchor);
}

const CERTIFIED =
  /(?<!\p{L})(?:certified|accredited|licen[sc]ed|approved|compliant|zertifiziert\p{Ll}{0,2}|certifiée?s?)(?!\p{L})/iu;
const CERTIFICATE =
  /(?<!\p{L})(?:certif|zertifi|accredit|akkreditier|licen[sc]e|approv|complian|konform|attest|audited)/iu;

/** "SOC 2 Type II compliant" is as good as certified, and its noun as much another's. */
function withCertified(text: string, { start, end }: Stretch): Stretch {
  const behind = /^[\s-]\p{L}+/u.exec(text.slice(end))?.[0] ?? "";
  return { start, end: CERTIFIED.test(behind) ? end + behind.length : end };
}

/** Verbs and purposes that lead up to what is not there yet, or not for oneself: "getting certified", "a guide to certification". */
const COMING_TO =
  /\b(?:get|getting|become|becoming|nearly|almost|partly|partially|not quite|to be|being|achieve|achieving|obtain|obtaining|earn|earning|pass|passing|preparing|(?:for|to|towards|about)(?: (?:an?|the|your|their))?)\s$/i;

const HAS_COME_TO = /\b(?:(?:proud|happy|pleased|glad) to be|(?:has|have|['’]ve) become)\s$/i;

/** "Is getting ISO 27001 certified", "is nearly GDPR compliant", "training for ISO 27001 certification". */
function isComingTo(text: string, { start, end }: Stretch): boolean {
  if (!CERTIFICATE.test(text.slice(start, end))) return false;
  const before = text.slice(0, start).replace(HAS_COME_TO, "");
  return COMING_TO.test(before) && !/\b(?:certified|accredited|licen[sc]ed|compliant) to\s$/i.test(before);
}

/** "Is ISO 27001 certified" says that it has the certification. */
function isCertified(text: string, anchor: Stretch): boolean {
  return (
    CERTIFIED.test(text.slice(anchor.start, anchor.end)) &&
    /\b(?:is|are|am|been|ist|sind|bin|est|sommes)\s+(?:(?:an?|also|now|fully|currently|both|already|again|nach|gemäß)\s+)?¦/i.test(
      withoutAnchor(text, anchor),
    )
  );
}

/** "Is family-owned" asks for an attribute, "is a robotics engineer" for a noun. */
function asksAttribute(asked: string, words: string): boolean {
  return (
    /^\s*(?:is|are)\s(?!(?:an?|the|one)\s)/i.test(asked) &&
    /(?:\p{L}{2}ed|owned|[\s-](?:led|run)|ant|able|open[\s-]source|public|private|neutral|friendly)$/iu.test(words)
  );
}

const DEGREE =
  /(?<!\p{L})(?:Ph\.?\s?D|doctorate|doctoral degree|MBA|M\.?Sc|B\.?Sc|(?:master|bachelor)(?:['’]?s)?)(?!\p{L})/iu;
const RECEIVED =
  /(?:^|[^\p{L}])(?:holds?|holding|held|has|have|having|received|earned|completed|obtained|got|finished|gained|defended|awarded|conferred|with)\s(?:(?:an?|the|his|her|their|my|both|also|second|double|dual|joint)\s){0,2}(?:(?!\p{L}+(?:ed|ing)\s)\p{L}+\s)?$/iu;

/** "Holds a PhD", "Kim Abel, PhD", "PhD, TU Wien"; not "is a PhD candidate", nor "began a PhD". */
function hasDegree(text: string, anchor: Stretch): boolean {
  const before = text.slice(text.lastIndexOf("\n", anchor.start - 1) + 1, anchor.start);
  const behind = text.slice(anchor.end);
  if (
    /^\.?\s(?!(?:degree|title|holders?|thesis defen[cs]e)(?!\p{L}))\p{Ll}/u.test(behind) &&
    isOfAnotherThing(text, anchor)
  )
    return false;
  if (/^\W*$/u.test(before) || RECEIVED.test(before)) return true;
  // letters behind a name
  return /(?<!\p{L})\p{Lu}\p{L}+,\s$/u.test(before) && /^(?:\.?\s*$|[,.|)])/u.test(behind);
}

/** Verbs of having, wherever they stand in the clause. */
const HAVING =
  /\b(?:offer\w*|provid\w*|ha(?:s|ve|ving)|support\w*|s(?:ells?|elling|old)|feature\w*|includ\w*|comes? with|there (?:is|are)|launch\w*|deliver\w*|hold\w*|equipped)\b/i;
/** Words that say so only where they lead straight to it. */
const HAVING_BESIDE =
  /(?:\b(?:with|via|through|us(?:e|es|ing)|get|gets|our|its|open|try|choose|enjoy|explore|access|upgrade (?:to|from)|sign up (?:for|to)|(?:start|begin|stay) (?:on|with|for))\s(?:[\p{L}\p{N}-]+,?\s){0,4}|^\W*(?:the|an?)\s)$/iu;
const THERE_BEHIND =
  /\b(?:available|included|supported|offered|provided)\b|^\s(?:is|are|lets?|gives?|helps?|comes?)\b/i;
/** "Ask about the free plan", "training for …"; not "known for its". */
const SPOKEN_OF = /\b(?:about|for|towards?)\s(?:(?:an?|the|your|any)\s)?$/i;

/** Whether the clause says that somebody has, offers or supports it. */
function saysHaving(text: string, { start, end }: Stretch): boolean {
  const from = Math.max(text.lastIndexOf(";", start - 1), text.lastIndexOf("\n", start - 1)) + 1;
  const before = text.slice(from, start).replaceAll(/\s{2,}/g, " ");
  const stop = text.indexOf(";", end);
  const behind = text.slice(end, stop < 0 ? text.length : stop);
  if (/^\sof (?:your|his|her)\b/i.test(behind)) return false;
  if (HAVING_BESIDE.test(before) || THERE_BEHIND.test(behind)) return true;
  return !SPOKEN_OF.test(before) && (HAVING.test(before) || HAVING.test(behind));
}

/** "Public API | –", or a dash below it: a label without a value says neither. */
function isBlank({ text, label }: Statement, { end }: Stretch): boolean {
  if (label === null) return false;
  const value = text.slice(Math.max(end, text.indexOf(label) + label.length)).trim();
  return /(?:^|[|:]\s*)(?:[-–—?]+|\.{2,}|n\/?a|tba|tbd)$/i.test(value);
}

function withoutAnchor(text: string, { start, end }: Stretch): string {
  return `${text.slice(0, start)} ¦ ${text.slice(end)}`;
}
