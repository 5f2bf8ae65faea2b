/** A simple command of a plain line: its words without quotes, assignments in front of it left out. */
export type PlainCommand = readonly string[];

/** Characters that need no quotes and mean only themselves. `*`, `?` and `~` are looked at by whoever reads words. */
const PLAIN = /^[\p{L}\p{N}_@%+=:,./~^*?-]$/u;
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;
const SAFE_REDIRECT = /^(?:\d*>&\d+|\d*>>?\s*\/dev\/null|&>\s*\/dev\/null|\d*<\s*\/dev\/null)(?=$|[\s;&|()])/;

/**
 * Reads a line that is nothing but simple commands, joined by `&&`, `||`, `;`, `|`,
 * `&`, new lines and parentheses. It knows less of the shell than a parser does, on
 * purpose: a line counts as understood only when this and the parser agree word for
 * word. Undefined for everything that is not plain.
 */
export function readPlainLine(line: string): readonly PlainCommand[] | undefined {
  const commands: string[][] = [];
  let words: string[] = [];
  let at = 0;
  const endCommand = (): void => {
    if (words.length > 0) commands.push(words);
    words = [];
  };
  while (at < line.length) {
    const rest = line.slice(at);
    const character = rest.charAt(0);
    const [redirect] = SAFE_REDIRECT.exec(rest) ?? [];
    if (redirect !== undefined) at += redirect.length;
    else if (character === " " || character === "\t") at += 1;
    else if (/^(&&|\|\|)/.test(rest)) {
      endCommand();
      at += 2;
    } else if (";|&\n()".includes(character)) {
      if (/^(;;|;&|\|&|&>|\(\()/.test(rest)) return undefined;
      // A parenthesis that touches a word is part of something else, such as a function.
      if (character === "(" && words.length > 0) return undefined;
      endCommand();
      at += 1;
    } else if (character === "!" && words.length === 0 && /^!\s/.test(rest)) at += 1;
    else {
      const word = readWord(rest);
      if (word === undefined) return undefined;
      if (words.length > 0 || !ASSIGNMENT.test(word.text) || word.isQuoted) words.push(word.text);
      at += word.length;
    }
  }
  endCommand();
  return commands;
}

/** One word: plain characters and quoted parts in a row. */
function readWord(
  rest: string,
): { readonly text: string; readonly length: number; readonly isQuoted: boolean } | undefined {
  const [bracket] = /^[[\]](?=[\s;&|)]|$)/.exec(rest) ?? []; // the program `[` and its end
  if (bracket !== undefined) return { text: bracket, length: 1, isQuoted: false };
  let text = "";
  let at = 0;
  let isQuoted = false;
  while (at < rest.length) {
    const character = String.fromCodePoint(rest.codePointAt(at) ?? 0);
    if (character === "'" || character === '"') {
      const end = rest.indexOf(character, at + 1);
      if (end === -1) return undefined;
      const inner = rest.slice(at + 1, end);
      if (character === '"' && /[$`\\!]/.test(inner)) return undefined;
      text += inner;
      at = end + 1;
      isQuoted = true;
    } else if (PLAIN.test(character)) {
      text += character;
      at += character.length;
    } else if (/[\s;&|()]/.test(character) && " \t\n;&|()".includes(character)) break;
    else return undefined;
  }
  return { text, length: at, isQuoted };
}
