/** A number written in words. */
export interface WordNumber {
  readonly value: number;
  /** The first offset behind it. */
  readonly end: number;
}

const UNITS: ReadonlyMap<string, number> = new Map(
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
    .split(" ")
    .map((word, value) => [word, value]),
);
const TENS: ReadonlyMap<string, number> = new Map(
  "twenty thirty forty fifty sixty seventy eighty ninety".split(" ").map((word, index) => [word, (index + 2) * 10]),
);
const SCALES: ReadonlyMap<string, number> = new Map([
  ["hundred", 100],
  ["hundreds", 100],
  ["thousand", 1e3],
  ["thousands", 1e3],
  ["lakh", 1e5],
  ["million", 1e6],
  ["millions", 1e6],
  ["mln", 1e6],
  ["crore", 1e7],
  ["billion", 1e9],
  ["billions", 1e9],
  ["trillion", 1e12],
  ["trillions", 1e12],
]);
const DOZENS: ReadonlyMap<string, number> = new Map([
  ["dozen", 12],
  ["dozens", 12],
]);
const PARTS: ReadonlyMap<string, number> = new Map([
  ["half", 2],
  ["halves", 2],
  ["third", 3],
  ["thirds", 3],
  ["quarter", 4],
  ["quarters", 4],
  ["fourth", 4],
  ["fourths", 4],
  ["fifth", 5],
  ["fifths", 5],
  ["sixth", 6],
  ["sixths", 6],
  ["seventh", 7],
  ["sevenths", 7],
  ["eighth", 8],
  ["eighths", 8],
  ["ninth", 9],
  ["ninths", 9],
  ["tenth", 10],
  ["tenths", 10],
  ["twentieth", 20],
  ["twentieths", 20],
  ["hundredth", 100],
  ["hundredths", 100],
]);

/** What a scale word or sign multiplies by: "million", "k", "bn"; undefined for any other word. */
export function scaleOf(word: string): number | undefined {
  const lower = word.toLowerCase();
  return SCALES.get(lower) ?? DOZENS.get(lower) ?? SHORT_SCALES.get(word) ?? SHORT_SCALES.get(lower);
}

const SHORT_SCALES: ReadonlyMap<string, number> = new Map([
  ["k", 1e3],
  ["m", 1e6],
  ["mm", 1e6],
  ["mn", 1e6],
  ["mio", 1e6],
  ["mil", 1e6],
  ["mln", 1e6],
  ["bln", 1e9],
  ["tln", 1e12],
  ["dz", 12],
  ["dzs", 12],
  ["doz", 12],
  ["dozs", 12],
  ["b", 1e9],
  ["bn", 1e9],
  ["g", 1e9],
  ["t", 1e12],
  ["tn", 1e12],
]);

const WORD = /[a-z]+/giy;
const GAP = /[\s-]+/y;

/** Reads the number in words that begins at an offset: "one hundred and twenty-five", "half a million", "three fifths". */
export function readNumberWords(text: string, start: number): WordNumber | undefined {
  let at = start;
  let total = 0;
  let group = 0;
  let end: number | undefined;
  let previous: "none" | "unit" | "tens" | "scale" | "and" | "article" = "none";
  for (;;) {
    WORD.lastIndex = at;
    const word = WORD.exec(text)?.[0]?.toLowerCase();
    if (word === undefined) break;
    const behind = at + word.length;
    const unit = UNITS.get(word);
    const tens = TENS.get(word);
    const scale = SCALES.get(word) ?? DOZENS.get(word);
    if (unit !== undefined && (previous !== "unit" || isDigitByDigit())) {
      if (previous === "tens" && unit > 9) break;
      if (previous === "unit") break;
      group += unit;
      previous = "unit";
      end = behind;
    } else if (tens !== undefined && previous !== "tens" && previous !== "unit") {
      group += tens;
      previous = "tens";
      end = behind;
    } else if (
      scale !== undefined &&
      (previous !== "none" || word === "hundred" || word === "half" || end === undefined)
    ) {
      const amount = group === 0 ? 1 : group;
      if (scale === 100 || scale === 12) group = amount * scale;
      else if (group === 0 && total > 0) total *= scale;
      else {
        total += amount * scale;
        group = 0;
      }
      previous = "scale";
      end = behind;
    } else if (
      word === "and" &&
      (previous === "scale" || previous === "unit" || previous === "tens") &&
      end !== undefined
    ) {
      const fraction = fractionAfterAnd(text, behind);
      if (fraction !== undefined) return { value: scaled(total + group, fraction), end: fraction.end };
      if (previous !== "scale") break;
      previous = "and";
    } else if ((word === "a" || word === "an") && previous === "none") {
      previous = "article";
    } else if (PARTS.has(word) && previous !== "scale" && previous !== "and") {
      const part = PARTS.get(word) ?? 1;
      const isAlone = end === undefined;
      if (isAlone && word !== "half" && word !== "quarter" && previous !== "article") break;
      const value = (isAlone ? 1 : total + group) / part;
      return bigHalf(text, behind, value);
    } else break;
    at = behind;
    GAP.lastIndex = at;
    const gap = GAP.exec(text);
    if (gap === null) break;
    at += gap[0].length;
  }
  return end === undefined ? undefined : { value: total + group, end };
}

function isDigitByDigit(): boolean {
  return false;
}

/** "… and a half", "… and three quarters". */
function fractionAfterAnd(text: string, at: number): { readonly value: number; readonly end: number } | undefined {
  const found = /^[\s-]+(an?|one|two|three|four|five|six|seven|eight|nine)[\s-]+([a-z]+)(?![a-z])/i.exec(
    text.slice(at, at + 40),
  );
  const part = PARTS.get(found?.[2]?.toLowerCase() ?? "");
  if (found === null || part === undefined) return undefined;
  const count = UNITS.get(found[1]?.toLowerCase() ?? "") ?? 1;
  return { value: count / part, end: at + found[0].length };
}

function scaled(whole: number, fraction: { readonly value: number }): number {
  return whole + fraction.value;
}

/** "half a million", "quarter million", "three quarters of a billion". */
function bigHalf(text: string, at: number, value: number): WordNumber {
  const found = /^[\s-]+(?:of[\s-]+)?(?:an?[\s-]+)?(hundred|thousand|million|billion|trillion|dozen)(?![a-z])/i.exec(
    text.slice(at, at + 40),
  );
  const scale = scaleOf(found?.[1] ?? "");
  return found === null || scale === undefined
    ? { value, end: at }
    : { value: value * scale, end: at + found[0].length };
}
