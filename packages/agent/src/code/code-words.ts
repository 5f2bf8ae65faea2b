/** Longer runs are data, not names. */
const MAX_WORD_CHARACTERS = 60;
const RUNS = /[\p{L}\p{N}_$]+/gu;
/** Where a name's parts meet: `parseHTTPReply2`, `snake_case`. */
const PARTS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lu}|\p{N}+/gu;

/** Words that say nothing of what is looked for. */
const COMMON = new Set(
  codeWords(
    "a an and are as at be by can do does for from how i if in into is it its me my of on or that the their them then " +
      "there these this to use used using we what when where which who why will with you your",
  ),
);

/** The words of code or prose as the index has them: names whole and in their parts, lower case, without endings. */
export function codeWords(text: string): readonly string[] {
  const words: string[] = [];
  for (const [run] of text.matchAll(RUNS)) {
    if (run.length > MAX_WORD_CHARACTERS) continue;
    const parts = run.match(PARTS);
    if (parts === null) continue;
    for (const part of parts) words.push(stem(part.toLowerCase()));
    if (parts.length > 1) words.push(run.toLowerCase());
  }
  return words;
}

/** The words of a question, each once; those that every question has are left out unless there are no others. */
export function questionWords(text: string): readonly string[] {
  const all = [...new Set(codeWords(text))];
  const telling = all.filter((word) => !COMMON.has(word));
  return telling.length > 0 ? telling : all;
}

/** Counts words. */
export function countWords(
  words: readonly string[],
  into = new Map<string, number>(),
  weight = 1,
): Map<string, number> {
  for (const word of words) into.set(word, (into.get(word) ?? 0) + weight);
  return into;
}

/** Takes the endings of English off, so that "parses", "parsed" and "parsing" are one word. */
function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  let root = word;
  if (root.endsWith("ies") && root.length > 4) root = `${root.slice(0, -3)}y`;
  else if (root.endsWith("sses")) root = root.slice(0, -2);
  else if (root.endsWith("s") && !/(ss|us|is)$/.test(root)) root = root.slice(0, -1);
  const before = root.endsWith("ing") ? root.slice(0, -3) : root.endsWith("ed") ? root.slice(0, -2) : "";
  if (before.length > 2 && /[aeiouy]/.test(before)) root = before.replace(/([^aeiouylsz])\1$/, "$1");
  return root.length > 3 && root.endsWith("e") ? root.slice(0, -1) : root;
}
