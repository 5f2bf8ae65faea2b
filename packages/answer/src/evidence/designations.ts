/** A name and a number that goes with it: "Python 3.11", "PEP 8", "iPhone 15". */
const DESIGNATION = /(?<![\p{L}\p{N}])(?<name>\p{L}+)[ -](?<number>\p{N}+(?:\.\p{N}+)*)(?![\p{L}\p{N}])/gu;
const NO_NAME =
  /^(?:in|on|at|by|since|until|from|of|before|after|around|[Jj]an\p{L}*|[Ff]eb\p{L}*|[Mm]ar(?:ch)?|[Aa]pr(?:il)?|[Mm]ay|[Jj]une?|[Jj]uly?|[Aa]ug(?:ust)?|[Ss]ep\p{L}*|[Oo]ct(?:ober)?|[Nn]ov(?:ember)?|[Dd]ec(?:ember)?)$/iu;

/** Whether a text names whatever the question calls by a name and a number: a page on Python 3.2 does not answer for Python 3.11. */
export function namesDesignations(question: string, text: string): boolean {
  const wanted = [...question.matchAll(DESIGNATION)].flatMap(({ groups }) => {
    const { name = "", number = "" } = groups ?? {};
    return /\p{Lu}/u.test(name) && !NO_NAME.test(name) ? [{ name: name.toLowerCase(), number }] : [];
  });
  if (wanted.length === 0) return true;
  const words = ` ${text.toLowerCase().replace(/[^\p{L}\p{N}.]+/gu, " ")} `;
  return wanted.every(({ name, number }) =>
    [number, toRoman(number)].some((one) => one !== undefined && hasWord(words, `${name} ${one}`)),
  );
}

/** The word as a whole: "3.1" is not in "3.11", and "3.11" is in "3.11.2" and before the stop of a sentence. */
function hasWord(words: string, wanted: string): boolean {
  for (let at = words.indexOf(` ${wanted}`); at !== -1; at = words.indexOf(` ${wanted}`, at + 1)) {
    if (!/[\p{L}\p{N}]/u.test(words.charAt(at + wanted.length + 1))) return true;
  }
  return false;
}

const ROMAN = [
  ["l", 50],
  ["xl", 40],
  ["x", 10],
  ["ix", 9],
  ["v", 5],
  ["iv", 4],
  ["i", 1],
] as const;

/** "World War 2" is also World War II. */
function toRoman(number: string): string | undefined {
  let rest = Number(number);
  if (!Number.isInteger(rest) || rest < 1 || rest >= 90) return undefined;
  let roman = "";
  for (const [sign, value] of ROMAN) for (; rest >= value; rest -= value) roman += sign;
  return roman;
}
