const MAX_TITLE_CHARACTERS = 60;
const FILLERS =
  /^(?:please\s+)?(?:find|list|show|get|give|what (?:is|are|was|were)|who (?:is|are))\s+(?:me\s+)?(?:all\s+)?(?:the\s+|an?\s+)?/i;

/** A short title made of a query or a description: its own words, cut at a word. */
export function makeTitle(words: string): string {
  const plain = words
    .replaceAll(/https?:\/\/\S+/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  const [sentence = ""] = (plain === "" ? words.trim() : plain).split(/(?<=[.?!])\s/);
  const core = sentence.replace(FILLERS, "").replace(/(?<![.?!:;,\s])[.?!:;,\s]+$/, "");
  const kept = core === "" ? sentence : core;
  const short = kept.length <= MAX_TITLE_CHARACTERS ? kept : `${cutAtWord(kept)}…`;
  return short.charAt(0).toUpperCase() + short.slice(1);
}

function cutAtWord(text: string): string {
  const cut = text.slice(0, MAX_TITLE_CHARACTERS - 1);
  const space = cut.lastIndexOf(" ");
  return space > MAX_TITLE_CHARACTERS / 2 ? cut.slice(0, space) : cut;
}
