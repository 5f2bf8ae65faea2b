import { isCommon } from "../judge/subject.ts";
import type { FoundValue } from "./found-value.ts";
import { NO_NAMES, OTHER_TITLES, ROLES, type RoleFamily } from "./column-words.ts";

/** The words of a role in any language, as part of a pattern. */
export function roleWords({ en, de, fr }: RoleFamily): string {
  return [en, de, fr].filter((words) => words !== undefined).join("|");
}

const TITLES = [...ROLES.map(roleWords), OTHER_TITLES].join("|");
/** What somebody is: any title that pages give. */
export const TITLE = new RegExp(`(?<![\\p{L}\\p{N}])(?:${TITLES})(?![\\p{L}\\p{N}])`, "giu");

/** Whether a line gives a title. */
export function namesTitle(line: string): boolean {
  return line.search(TITLE) !== -1;
}

const NO_NAME = new RegExp(`^(?:${NO_NAMES}|${TITLES})$`, "iu");

const PARTICLE = "(?:d[eiu]|del|della|dos|da|van|von|der|den|ter|zu|la|le|al|el|bin)";
const SPACE = "[ \\u00a0]";
const NAMES = new RegExp(
  `(?<![\\p{L}\\p{N}.@/-])(?:\\p{Lu}\\.${SPACE}?){0,2}\\p{Lu}[\\p{L}'’-]{1,30}(?:${SPACE}(?:${PARTICLE}${SPACE}){0,2}(?:\\p{Lu}\\.(?=${SPACE}\\p{Lu})|\\p{Lu}[\\p{L}'’-]{1,30})){0,5}(?![\\p{L}\\p{N}@])`,
  "gu",
);
const HONORIFIC = /^(?:Dr|Prof|Professor|Mr|Mrs|Ms|Mx|Sir|Dame|Herr|Frau|Madame|Monsieur|Mme|Ing|Dipl|Mag)$/;
const MAX_WORDS = 4;

/** The names of people in one line: runs of capitals without titles and without words that no name has, not all of them common ones. */
export function readNames(line: string): readonly FoundValue[] {
  const found: FoundValue[] = [];
  for (const run of withoutHonorifics(line).matchAll(NAMES)) {
    // "Anna Kern Registergericht: Hamburg": the last word is the label of what follows
    const behind = line.slice(run.index + run[0].length, run.index + run[0].length + 2);
    const text = /^ ?:/.test(behind) ? run[0].slice(0, run[0].lastIndexOf(" ")) : run[0];
    let words: { word: string; start: number }[] = [];
    const close = (): void => {
      const last = words.at(-1);
      const first = words[0];
      const whole = words.filter(({ word }) => /^\p{Lu}[^.]/u.test(word));
      const least = first !== undefined && first.word.endsWith(".") ? 1 : 2;
      if (
        first !== undefined &&
        last !== undefined &&
        whole.length >= least &&
        whole.length <= MAX_WORDS &&
        !whole.every(({ word }) => isCommon(word))
      ) {
        const end = last.start + last.word.length;
        found.push({ value: line.slice(first.start, end).replaceAll(/\s+/g, " "), start: first.start, end });
      }
      words = [];
    };
    for (const { 0: written, index } of text.matchAll(/[^ \u00a0]+/g)) {
      const word = written.replace(/['’]s$/, "");
      const start = run.index + index;
      if (/^\p{Lu}/u.test(word) && (NO_NAME.test(word) || HONORIFIC.test(word))) close();
      else words.push({ word, start });
      if (word !== written) close();
    }
    close();
  }
  return found;
}

/** "Prof. Dr. Jens Holthaus": the full stops would take part in the name; the places stay. */
export function withoutHonorifics(line: string): string {
  return line.replaceAll(
    /(?<![\p{L}.])(?:Dr|Prof|Professor|Sir|Dame|Mr|Mrs|Ms|Mx|Herr|Frau|Mme|Ing|Dipl|Mag)(?:\.|(?= ))(?:-Ing\.|-Kfm\.)?/gu,
    (title) => " ".repeat(title.length),
  );
}

/** The name that a text is, and nothing besides; undefined for any other text. */
export function wholeName(text: string): string | undefined {
  const bare = withoutHonorifics(text).trim().replace(/\.$/, "");
  const [name, ...others] = readNames(bare);
  return name !== undefined && others.length === 0 && name.start === 0 && name.end === bare.length
    ? name.value
    : undefined;
}
