import { AppError } from "@quarry/base";

/** Deeper than any request has a reason to be; what works on values by recursion (JSON.stringify does) is far from its end there. */
const MAX_LEVELS = 500;

/**
 * Reads a JSON text. An empty one is undefined: clients send a JSON content type
 * with no body. Keys named `__proto__` are dropped, so that copying a parsed object
 * can never change a prototype. Throws `invalid_request` with the place of the
 * first mistake, or for more than MAX_LEVELS of lists and objects in each other.
 */
export function parseJson(text: string): unknown {
  if (text.trim() === "") return undefined;
  const value = readJson(text);
  if (text.length > 2 * MAX_LEVELS && isTooDeep(value)) throw tooDeep();
  return value;
}

function readJson(text: string): unknown {
  try {
    // The name can also be written with escapes; a backslash is enough of a reason to look closer.
    const mayNamePrototype = text.includes("__proto__") || text.includes("\\u00");
    return mayNamePrototype ? JSON.parse(text, dropPrototype) : JSON.parse(text);
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(); // the stack is full
    const place = findJsonMistake(text);
    throw new AppError("invalid_request", `Invalid request body | Invalid JSON ${describePlace(text, place)}`, {
      details: { tag: "INVALID_REQUEST_BODY", issues: [{ path: "", message: "not JSON" }] },
    });
  }
}

/** Level by level, since recursion is what must be guarded. */
function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === MAX_LEVELS) return true;
    const below: unknown[] = [];
    for (const parent of level) {
      if (typeof parent !== "object" || parent === null) continue;
      for (const child of Object.values(parent)) if (typeof child === "object" && child !== null) below.push(child);
    }
    level = below;
  }
  return false;
}

function tooDeep(): AppError {
  const message = `expected at most ${MAX_LEVELS} lists and objects in each other`;
  return new AppError("invalid_request", `Invalid request body | ${message}`, {
    details: { tag: "INVALID_REQUEST_BODY", issues: [{ path: "", message }] },
  });
}

function dropPrototype(key: string, value: unknown): unknown {
  return key === "__proto__" ? undefined : value;
}

function describePlace(text: string, offset: number): string {
  if (offset >= text.length) return "at the end: the text stops before it is complete";
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  const column = offset - before.lastIndexOf("\n");
  return `at line ${line}, column ${column}: unexpected ${JSON.stringify(text.slice(offset, offset + 12))}`;
}

/**
 * What may come next while scanning: a value; a value or the end of the list; a
 * key; a key or the end of the object; a colon; a comma or the end; nothing.
 */
type Expected = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end" | "nothing";

/** The offset of the first character that cannot be JSON; the text's length when only its rest is missing. */
export function findJsonMistake(text: string): number {
  const open: string[] = [];
  let expected: Expected = "value";
  for (let offset = skipSpace(text, 0); offset < text.length; offset = skipSpace(text, offset)) {
    const token = readToken(text, offset);
    if (!token.whole) return token.end;
    const next = step(expected, open, token.kind);
    if (next === undefined) return offset;
    expected = next;
    offset = token.end;
  }
  return text.length;
}

interface Token {
  /** A mark of punctuation itself, or the kind of value. */
  readonly kind: string;
  /** Where it ends; where it goes wrong when it is not whole. */
  readonly end: number;
  readonly whole: boolean;
}

const SPACE = /[ \t\n\r]*/y;
/** Not with a plus: for that V8 may remember every digit, and of a number of millions it has no room for them. */
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d\d*)?(?:[eE][+-]?\d\d*)?|true|false|null)(?![\w.+-])/y;
const STRING_STOP = /["\\\p{Cc}]/gu;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function skipSpace(text: string, offset: number): number {
  SPACE.lastIndex = offset;
  SPACE.test(text);
  return SPACE.lastIndex;
}

function readToken(text: string, offset: number): Token {
  const first = text.charAt(offset);
  if ("[]{},:".includes(first)) return { kind: first, end: offset + 1, whole: true };
  if (first === '"') return readString(text, offset);
  SCALAR.lastIndex = offset;
  return SCALAR.test(text)
    ? { kind: "scalar", end: SCALAR.lastIndex, whole: true }
    : { kind: "scalar", end: offset, whole: false };
}

/** A loop and not one expression: a string of megabytes must not fill the expression engine's stack. */
function readString(text: string, offset: number): Token {
  let from = offset + 1;
  for (;;) {
    STRING_STOP.lastIndex = from;
    const stop = STRING_STOP.exec(text);
    if (stop === null) return { kind: "string", end: text.length, whole: false };
    if (stop[0] === '"') return { kind: "string", end: stop.index + 1, whole: true };
    if (stop[0] === "\\") {
      ESCAPE.lastIndex = stop.index;
      if (!ESCAPE.test(text)) return { kind: "string", end: stop.index, whole: false };
      from = ESCAPE.lastIndex;
    } else if (stop[0] < " ") {
      return { kind: "string", end: stop.index, whole: false };
    } else {
      from = stop.index + 1; // DEL and the C1 controls are allowed
    }
  }
}

/** The state after a token of this kind; undefined when it cannot stand here. Keeps `open` in step. */
function step(expected: Expected, open: string[], mark: string): Expected | undefined {
  const after = (): Expected => (open.length === 0 ? "nothing" : "comma-or-end");
  if (mark === "string" || mark === "scalar") {
    if (expected === "key" || expected === "key-or-end") return mark === "string" ? "colon" : undefined;
    return expected === "value" || expected === "value-or-end" ? after() : undefined;
  }
  if (mark === ":") return expected === "colon" ? "value" : undefined;
  if (mark === ",") {
    if (expected !== "comma-or-end") return undefined;
    return open.at(-1) === "{" ? "key" : "value";
  }
  if (mark === "[" || mark === "{") {
    if (expected !== "value" && expected !== "value-or-end") return undefined;
    open.push(mark);
    return mark === "[" ? "value-or-end" : "key-or-end";
  }
  const endsList = mark === "]" && open.at(-1) === "[" && (expected === "value-or-end" || expected === "comma-or-end");
  const endsObject = mark === "}" && open.at(-1) === "{" && (expected === "key-or-end" || expected === "comma-or-end");
  if (!endsList && !endsObject) return undefined;
  open.pop();
  return after();
}
