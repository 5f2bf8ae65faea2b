import path from "node:path";

/** One definition of a file. */
export interface OutlineEntry {
  /** Counted from 1. */
  readonly line: number;
  /** How deep it lies, by its indentation: 0 for the outermost. */
  readonly depth: number;
  readonly text: string;
}

/** The most definitions that are listed, and the most characters of each. */
const MAX_ENTRIES = 300;
const MAX_CHARACTERS = 120;
/** A longer line is no definition that a person wrote; the patterns, which may take the square of a line's length, never see one. */
const MAX_LINE_CHARACTERS = 500;

/**
 * The definitions of a file with their lines, by the words its language begins
 * them with: enough to choose what to read next, without a parser for every language.
 * Empty for a kind of file that defines nothing we know.
 */
export function outlineOf(name: string, lines: readonly string[]): readonly OutlineEntry[] {
  const pattern = patternOf(name);
  if (pattern === undefined) return [];
  const found: { readonly line: number; readonly indent: number; readonly text: string }[] = [];
  let isInFence = false;
  for (const [index, line] of lines.entries()) {
    if (pattern === HEADINGS && /^\s*(```|~~~)/.test(line)) isInFence = !isInFence;
    if (isInFence || line.length > MAX_LINE_CHARACTERS || !pattern.test(line)) continue;
    const trimmed = line.trim();
    const text = trimmed.endsWith("{") ? trimmed.slice(0, -1).trimEnd() : trimmed;
    found.push({ line: index + 1, indent: indentOf(pattern, line), text: text.slice(0, MAX_CHARACTERS) });
    if (found.length === MAX_ENTRIES) break;
  }
  const indents: number[] = [];
  return found.map(({ line, indent, text }) => {
    while (indents.length > 0 && (indents.at(-1) ?? 0) >= indent) indents.pop();
    indents.push(indent);
    return { line, depth: indents.length - 1, text };
  });
}

/** An outline as a model reads it: a line number and the definition, indented. */
export function showOutline(entries: readonly OutlineEntry[]): string {
  return entries.map(({ line, depth, text }) => `${String(line).padStart(6)}|${"  ".repeat(depth)}${text}`).join("\n");
}

const HEADINGS = /^#{1,6}\s+\S/;
const BRACES =
  /^\s*(?:(?:export|default|declare|public|private|protected|internal|static|abstract|final|sealed|override|virtual|async|partial|open|data|readonly|unsafe|extern|pub(?:\([^)]*\))?)\s+)*(?:class|interface|enum|namespace|module|struct|trait|impl|union|record|object|protocol|extension|mod|fn|func|fun|function\*?|type\s+\w+\s*(?:<[^>]*>)?\s*(?:=|struct|interface)|const\s+\w+\s*(?::[^=]+)?=\s*(?:async\s*)?(?:\([^)]*\)|\w+)\s*(?::[^=]+)?=>)(?=[\s<*(])/;
const TYPESCRIPT = new RegExp(
  `${BRACES.source}|^export\\s+(?:default\\s+)?(?:const|let|var|type)\\s+\\w+|^\\s{2,}(?:(?:public|private|protected|static|async|override|readonly|get|set)\\s+)*#?(?!if\\b|for\\b|while\\b|switch\\b|catch\\b|return\\b|await\\b|function\\b)[A-Za-z_$][\\w$]*\\s*(?:<[^>]*>)?\\([^)]*\\)\\s*(?::[^{;]+)?\\{\\s*$|^\\s*(?:export\\s+)?type\\s+\\w+`,
);
const CURLY = new RegExp(
  `${BRACES.source}|^\\s*(?!return\\b|else\\b|new\\b|throw\\b)(?:[A-Za-z_][\\w:<>,*&\\[\\]]*\\s+)+[*&]?~?[A-Za-z_][\\w:]*\\s*\\([^;]*\\)\\s*(?:const\\s*)?(?:noexcept\\s*)?(?:throws\\s+[\\w.,\\s]+)?\\{?\\s*$`,
);

const PATTERNS: Readonly<Record<string, RegExp>> = {
  ...each([".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte"], TYPESCRIPT),
  ...each([".py", ".pyi"], /^\s*(?:class|(?:async\s+)?def)\s+\w+/),
  ...each([".rb"], /^\s*(?:class|module|def)\s+\S+/),
  ...each([".go"], /^(?:func\s|type\s+\w+)/),
  ...each([".rs"], BRACES),
  ...each([".java", ".kt", ".kts", ".scala", ".cs", ".swift", ".dart", ".php"], CURLY),
  ...each([".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".m", ".mm"], CURLY),
  ...each([".sh", ".bash", ".zsh"], /^\s*(?:function\s+[\w-]+|[\w-]+\s*\(\)\s*\{?)/),
  ...each(
    [".sql"],
    /^\s*create\s+(?:or\s+replace\s+)?(?:unique\s+)?(?:table|view|index|function|procedure|trigger|type)\s/i,
  ),
  ...each([".proto"], /^\s*(?:message|enum|service|rpc|oneof)\s+\w+/),
  ...each([".md", ".mdx", ".markdown"], HEADINGS),
  ...each([".css", ".scss", ".less"], /^[^\s@/}][^{}]*\{\s*$|^@(?:media|keyframes|mixin)\b/),
};

function each(extensions: readonly string[], pattern: RegExp): Readonly<Record<string, RegExp>> {
  return Object.fromEntries(extensions.map((extension) => [extension, pattern]));
}

function patternOf(name: string): RegExp | undefined {
  return PATTERNS[path.extname(name).toLowerCase()];
}

/** A heading lies as deep as it has signs, a definition as deep as it is indented. */
function indentOf(pattern: RegExp, line: string): number {
  if (pattern === HEADINGS) return /^#+/.exec(line)?.[0].length ?? 0;
  return (/^\s*/.exec(line)?.[0] ?? "").replaceAll("\t", "    ").length;
}
