/** What kind of thing a question asks for; `any` when its words do not tell. */
export type ExpectedAnswer = "person" | "time" | "number" | "place" | "reason" | "manner" | "definition" | "any";

/** Reads the kind off the question's words. English; other languages give `any`. */
export function expectedAnswer(question: string): ExpectedAnswer {
  const text = question.toLowerCase();
  const rule = RULES.find(([pattern]) => pattern.test(text));
  return rule?.[1] ?? "any";
}

/** Whether a sentence has the kind of thing that is asked for, beside what the question itself says. */
export function hasExpected(kind: ExpectedAnswer, sentence: string, question: string): boolean {
  const asked = new Set(question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const isNew = (found: string): boolean =>
    (found.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).some((word) => !asked.has(word));
  const has = (pattern: RegExp): boolean => Array.from(sentence.matchAll(pattern), ([found]) => found).some(isNew);
  switch (kind) {
    case "person":
      return has(/\b\p{Lu}[\p{L}'’.-]+(?:\s+(?:(?:de|van|von|bin|al|the)\s+)?\p{Lu}[\p{L}'’.-]+)+/gu);
    case "time":
      return has(TIME);
    case "number":
      return has(NUMBER);
    case "place":
      return has(/\b(?:in|at|near|on|from|of|to)\s+(?:the\s+)?\p{Lu}[\p{L}'’-]+/gu);
    case "reason":
      return /\b(?:because|since|due to|owing to|so that|in order to|as a result|therefore|caused by|reason)\b/i.test(
        sentence,
      );
    case "manner":
      return /\b(?:by|using|with|via|through|run|use|set|call|first|then)\b/i.test(sentence);
    case "definition":
      return /\b(?:is|are|was|were|means|refers to|stands for|denotes)\b/i.test(sentence);
    case "any":
      return false;
  }
}

const RULES: readonly (readonly [RegExp, ExpectedAnswer])[] = [
  [/\b(?:who|whom|whose)\b|\bwhich (?:person|actor|author|singer|player|president)\b/, "person"],
  [/\bwhen\b|\b(?:what|which) (?:year|date|day|month|century|time)\b|\bhow long ago\b/, "time"],
  [
    /\bhow (?:many|much|old|long|tall|high|far|big|large|fast|often|heavy|deep|wide)\b|\bwhat (?:number|percentage|amount|population|age)\b/,
    "number",
  ],
  [/\bwhere\b|\b(?:what|which) (?:country|city|state|place|town|continent|location|river)\b/, "place"],
  [/\bwhy\b|\bwhat (?:is the reason|causes?)\b/, "reason"],
  [/\bhow (?:do|does|can|to|should|is|are)\b/, "manner"],
  [/^\s*(?:what(?:'s| is| are| was| were)|define|explain)\b|\bmeaning of\b/, "definition"],
];

const MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december";
const TIME = new RegExp(
  `\\b(?:${MONTHS})\\b|\\b(?:1\\d{3}|20\\d{2})s?\\b|\\b\\d{1,2}(?:st|nd|rd|th) century\\b|\\btoday\\b|\\byears? ago\\b`,
  "giu",
);
const NUMBER =
  /\p{N}+(?:[.,]\p{N}+)*|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|twenty|thirty|forty|fifty|hundred|thousand|million|billion|dozen|once|twice)\b/giu;
