import { isOmission } from "./omission.ts";
import { indentOf } from "./reindent.ts";

/** A statement, definition or element with all that belongs to it, by the look of its indentation. */
export interface CodeItem {
  /** Blank lines in front. */
  readonly blanks: readonly string[];
  /** Comments and decorators in front of it. */
  readonly lead: readonly string[];
  readonly lines: readonly string[];
  /** What it is called; two items of the same name stand for each other. */
  readonly name: string;
  readonly isOmission: boolean;
}

/** Splits lines into the items of their outermost depth; blank lines at the very end belong to none. */
export function splitItems(lines: readonly string[]): readonly CodeItem[] {
  const depth = depthOf(lines);
  const items: { blanks: string[]; lead: string[]; lines: string[] }[] = [];
  let blanks: string[] = [];
  let lead: string[] = [];
  for (const line of lines) {
    const open = items.at(-1);
    const isInner = line.trim() !== "" && (indentOf(line).length > depth || isContinuation(line));
    if (line.trim() === "") {
      if (lead.length > 0) lead.push(line);
      else blanks.push(line);
    } else if (isInner && open !== undefined && lead.length === 0) {
      open.lines.push(...blanks, line);
      blanks = [];
    } else if (isComment(line) && !isOmission(line)) {
      lead.push(line);
    } else {
      items.push({ blanks, lead, lines: [line] });
      [blanks, lead] = [[], []];
    }
  }
  if (lead.length > 0) items.push({ blanks, lead: [], lines: lead });
  return items.map((item) => ({
    ...item,
    name: nameOf(item.lines),
    isOmission: item.lines.length === 1 && isOmission(item.lines[0] ?? ""),
  }));
}

/** An item as its head, what lies within, and its closing line; undefined where it has no such form. */
export function openItem(
  item: CodeItem,
): { readonly head: string; readonly body: readonly string[]; readonly tail: readonly string[] } | undefined {
  const [head = "", ...rest] = item.lines;
  const depth = indentOf(head).length;
  const isOuter = (line: string): boolean => line.trim() !== "" && indentOf(line).length <= depth;
  const last = rest.at(-1);
  const tail = last !== undefined && isOuter(last) ? [last] : [];
  const body = rest.slice(0, rest.length - tail.length);
  return body.some(isOuter) ? undefined : { head, body, tail };
}

/** All lines of an item, in their order. */
export function linesOfItem(item: CodeItem): readonly string[] {
  return [...item.blanks, ...item.lead, ...item.lines];
}

function depthOf(lines: readonly string[]): number {
  const depths = lines.filter((line) => line.trim() !== "" && !isOmission(line)).map((line) => indentOf(line).length);
  return depths.length === 0 ? 0 : Math.min(...depths);
}

function isContinuation(line: string): boolean {
  return /^\s*(?:[\])}]|<\/|\/?>|(?:else|elif|except|catch|finally)\b)/.test(line);
}

function isComment(line: string): boolean {
  return /^\s*(?:\/\/|\/\*|\*|#(?![!a-z]+\b\s*[<"(])|--|@\w|"""|''')/.test(line);
}

const MODIFIERS =
  /^(?:export|default|declare|public|private|protected|static|async|abstract|override|readonly|pub|final)\s+/;

function nameOf(lines: readonly string[]): string {
  let head = (lines[0] ?? "").trim();
  while (MODIFIERS.test(head)) head = head.replace(MODIFIERS, "");
  if (/^(?:import|from|use|require|#include)\b/.test(head)) return `import ${importedFrom(lines)}`;
  const tag = /^<([\w.]*)/.exec(head);
  if (tag !== null) return `<${tag[1] ?? ""}`;
  const declared =
    /^(?:function\*?|class|interface|type|enum|def|fn|func|struct|impl|trait|mod|namespace|module)\s+([\w$]+)/.exec(
      head,
    ) ??
    /^(?:const|let|var|val)\s+([\w$]+|[[{][^=]*)/.exec(head) ??
    /^([\w$#]+)\s*(?:<[^>]*>)?\([^)]*\)?\s*(?::[^{]*)?\{?$/.exec(head);
  return declared?.[1] === undefined || isKeyword(declared[1]) ? head.replace(/\s+/g, " ") : declared[1].trim();
}

function isKeyword(word: string): boolean {
  return /^(?:if|for|while|switch|return|catch|with|await|yield|throw)$/.test(word);
}

function importedFrom(lines: readonly string[]): string {
  const whole = lines.join(" ").replace(/\s+/g, " ").trim();
  return /from\s+(["'][^"']+["'])/.exec(whole)?.[1] ?? /^from\s+(\S+)/.exec(whole)?.[1] ?? whole;
}
