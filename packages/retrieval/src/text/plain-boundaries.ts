/**
 * Where Unicode's rules (UAX 29) end sentences in a line of plain text: ASCII and the typographer's quotes, dashes and
 * dots. The same places that Intl.Segmenter gives, at many times its speed; each is the offset behind a sentence and
 * the spaces that follow it. The end of the line is not among them.
 */
export function plainBoundaries(line: string): readonly number[] {
  const boundaries: number[] = [];
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    if (code > QUESTION_MARK || !isTerminator(code)) continue;
    const next = skipSpaces(line, skipClosing(line, at + 1));
    if (next >= line.length) break;
    if (!goesOn(line, at, next)) boundaries.push(next);
    at = next - 1; // what follows may be a terminator itself
  }
  return boundaries;
}

const TAB = 0x09;
const LINE_TABULATION = 0x0b;
const FORM_FEED = 0x0c;
const SPACE = 0x20;
const NO_BREAK_SPACE = 0xa0;
const EXCLAMATION_MARK = 0x21;
const FULL_STOP = 0x2e;
const QUESTION_MARK = 0x3f;

/** Whether the sentence goes on at `next`, behind the terminator at `at` with its closing signs and spaces. */
function goesOn(line: string, at: number, next: number): boolean {
  const code = line.charCodeAt(next);
  if (isTerminator(code) || isContinuing(code)) return true;
  if (line.charCodeAt(at) !== FULL_STOP) return false;
  if (next === at + 1) {
    if (isDigit(code)) return true;
    if (isUpper(code) && isLetter(line.charCodeAt(at - 1))) return true;
  }
  for (let ahead = next; ahead < line.length; ahead += 1) {
    const sign = line.charCodeAt(ahead);
    if (isLower(sign)) return true;
    if (isUpper(sign) || isTerminator(sign)) return false;
  }
  return false;
}

function skipClosing(line: string, from: number): number {
  let at = from;
  while (at < line.length && isClosing(line.charCodeAt(at))) at += 1;
  return at;
}

function skipSpaces(line: string, from: number): number {
  let at = from;
  while (at < line.length && isSpace(line.charCodeAt(at))) at += 1;
  return at;
}

function isTerminator(code: number): boolean {
  return code === FULL_STOP || code === EXCLAMATION_MARK || code === QUESTION_MARK;
}

function isSpace(code: number): boolean {
  return code === SPACE || code === TAB || code === NO_BREAK_SPACE || code === LINE_TABULATION || code === FORM_FEED;
}

/** Quotes and brackets. */
function isClosing(code: number): boolean {
  return CLOSING.has(code);
}

/** Signs that a sentence never begins with. */
function isContinuing(code: number): boolean {
  return CONTINUING.has(code);
}

const CLOSING = codesOf("\"'()[]{}‘’‚‛“”");
const CONTINUING = codesOf(",-:;–—");

function codesOf(signs: string): ReadonlySet<number> {
  return new Set(Array.from(signs, (sign) => sign.charCodeAt(0)));
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isUpper(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}

function isLower(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

function isLetter(code: number): boolean {
  return isUpper(code) || isLower(code);
}
