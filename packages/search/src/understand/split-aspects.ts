/** The most parts a query is split into. */
const MAX_ASPECTS = 4;
const MIN_ASPECT_WORDS = 2;

/**
 * The parts of a query that ask for different things: both sides of a comparison, the sentences of a long prompt. Empty
 * when it asks for one thing.
 */
export function splitAspects(text: string): readonly string[] {
  const between =
    /\b(?:differences?|comparison|compare|compared|choose|choosing)\b(.{1,300}?)\s(?:and|with|to|or)\s(.+)$/isu.exec(
      text
        .replaceAll(/\s{2,}/g, " ")
        .split("\n")
        .at(-1) ?? "",
    );
  const parts =
    between === null
      ? text.split(
          /(?<!\s)\s+(?:vs\.?|versus|compared (?:to|with)|as opposed to)\s+|(?<=[.?!;。？！])\s+|(?:(?<!\s)\s+)?;\s*/iu,
        )
      : [between[1] ?? "", between[2] ?? ""];
  const aspects = parts
    .map((part) => part.replaceAll(/^[\s,.;:?!]+|(?<![\s,.;:?!])[\s,.;:?!]+$/g, ""))
    .filter((part) => between !== null || part.split(/\s+/).length >= MIN_ASPECT_WORDS)
    .filter((part) => part !== "");
  return aspects.length < 2 ? [] : [...new Set(aspects)].slice(0, MAX_ASPECTS);
}
