/** Shorter parts than this ask nothing by themselves. */
const MIN_PART_CHARACTERS = 8;
const MAX_PART_CHARACTERS = 400;
const QUESTION_WORDS = "who|whom|whose|what|when|where|which|why|how";

/**
 * The questions that a request consists of, at most `most`: the lines of its list, its sentences that ask, the clauses that begin with a
 * question word of their own, the things it compares. A request that cannot be taken apart is one question.
 */
export function decomposeQuestion(instructions: string, most: number): readonly string[] {
  const text = instructions.replace(/\r\n?/g, "\n").trim();
  const parts = firstOf(text, [listItems, comparedThings, askedSentences, askedClauses]);
  const whole = shorten(text.replace(/\s+/g, " "));
  return unique(parts.length < 2 ? [whole] : parts).slice(0, Math.max(1, most));
}

function firstOf(text: string, ways: readonly ((text: string) => readonly string[])[]): readonly string[] {
  for (const way of ways) {
    const parts = way(text)
      .map((part) => shorten(part.replace(/\s+/g, " ").trim()))
      .filter((part) => part.length >= MIN_PART_CHARACTERS);
    if (parts.length >= 2) return parts;
  }
  return [];
}

/** The entries of a list, each with what the line before the list says. */
function listItems(text: string): readonly string[] {
  const lines = text.split("\n");
  const isItem = (line: string): boolean => /^\s*(?:[-*•]|\(?\d{1,2}[.)]|\(?[a-h]\))\s+\S/i.test(line);
  const first = lines.findIndex(isItem);
  if (first === -1) return [];
  const head = lines
    .slice(0, first)
    .join(" ")
    .replace(/[:：]\s*$/, "")
    .trim();
  const items = lines.filter(isItem).map((line) => line.replace(/^\s*(?:[-*•]|\(?\d{1,2}[.)]|\(?[a-h]\))\s+/i, ""));
  return items.map((item) => (item.endsWith("?") || head === "" ? item : `${head}: ${item}`));
}

/** "Compare A and B (by …)": each thing by itself, then both. */
function comparedThings(text: string): readonly string[] {
  const found =
    /\b(?:compare|difference(?:s)? between|contrast)\s(?<one>[^,.?]{2,80}?)\s(?:and|with|to|versus|vs\.?)\s(?<other>[^,.?]{2,80})/i.exec(
      text.replaceAll(/\s{2,}/g, " "), // a long run of blanks could be shared out in too many ways
    );
  const { one, other } = found?.groups ?? {};
  return one === undefined || other === undefined ? [] : [text, `What is ${one}?`, `What is ${other}?`];
}

function askedSentences(text: string): readonly string[] {
  const sentences = text.split(/(?<=[.?!])\s+|\n+/u).map((sentence) => sentence.trim());
  const asked = sentences.filter(
    (sentence) =>
      sentence.endsWith("?") ||
      new RegExp(`^(?:${QUESTION_WORDS}|find|list|explain|describe|identify|determine|summari[sz]e|tell)\\b`, "i").test(
        sentence,
      ),
  );
  return asked.length >= 2 ? asked : [];
}

/** "Who made it, when was it made and how …": one clause for each question word, each with the first one's subject left to context. */
function askedClauses(text: string): readonly string[] {
  const clauses = text
    .replace(/\s+/g, " ")
    .split(new RegExp(`,?\\s(?:and|or)\\s(?=(?:${QUESTION_WORDS})\\b)|,\\s?(?=(?:${QUESTION_WORDS})\\b)|;\\s`, "i"));
  if (clauses.length < 2) return [];
  const names = [...new Set(text.match(/(?<=\s)\p{Lu}[\p{L}\p{N}.-]+(?:\s+\p{Lu}[\p{L}\p{N}.-]+)*/gu) ?? [])];
  return clauses.map((clause) => {
    // A clause with a name of its own is about that; one without is about what the others are about.
    const isNamed = names.length === 0 || names.some((name) => clause.includes(name));
    return isNamed ? clause : `${clause.replace(/[.?]\s*$/, "")} (${names.slice(0, 2).join(", ")})`;
  });
}

function unique(parts: readonly string[]): readonly string[] {
  return [...new Map(parts.map((part) => [part.toLowerCase(), part])).values()];
}

function shorten(text: string): string {
  return text.length <= MAX_PART_CHARACTERS ? text : text.slice(0, MAX_PART_CHARACTERS).replace(/\s+\S*$/, "");
}
