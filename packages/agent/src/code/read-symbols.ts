import { createRequire } from "node:module";
import type { Node, Parser, Query } from "web-tree-sitter";
import type { CodeSymbol } from "./code-symbol.ts";
import { findLanguage, languageOf, type LanguageName } from "./languages.ts";

/** How long one file may take to parse. */
const PARSE_TIMEOUT_MS = 2_000;
/** The most symbols that are kept of one file; generated code has more. */
const MAX_SYMBOLS = 5_000;
const MAX_NAME_CHARACTERS = 200;

interface Grammar {
  readonly parser: Parser;
  readonly query: Query;
}

/** Loaded once a process and language, when its first file is read: the machine code of a grammar is large. */
const grammars = new Map<LanguageName, Promise<Grammar>>();

/**
 * The symbols of a file, in their order, by its grammar; undefined for a language we have none for and for a file
 * that took too long. A file with mistakes gives what can be read of it.
 */
export async function readSymbols(file: string, text: string): Promise<readonly CodeSymbol[] | undefined> {
  const language = languageOf(file);
  if (language === undefined) return undefined;
  const grammar = grammars.get(language) ?? loadGrammar(language);
  grammars.set(language, grammar);
  const { parser, query } = await grammar;
  const end = performance.now() + PARSE_TIMEOUT_MS;
  const tree = parser.parse(text, null, { progressCallback: () => performance.now() > end });
  if (tree === null) {
    parser.reset(); // else the next file would go on where this one stopped
    return undefined;
  }
  try {
    const found = query
      .matches(tree.rootNode)
      .slice(0, MAX_SYMBOLS)
      .flatMap(({ captures }) => {
        const name = captures.find((capture) => capture.name === "name")?.node;
        const whole = captures.find((capture) => capture.name !== "name");
        return name === undefined || whole === undefined ? [] : [{ kind: whole.name, whole: whole.node, name }];
      });
    return nest(found);
  } finally {
    tree.delete();
  }
}

async function loadGrammar(name: LanguageName): Promise<Grammar> {
  const { Language, Parser, Query } = await import("web-tree-sitter");
  await Parser.init();
  const { grammar, symbols } = findLanguage(name);
  const file = createRequire(import.meta.url).resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`);
  const language = await Language.load(file);
  return { parser: new Parser().setLanguage(language), query: new Query(language, symbols) };
}

/** Orders what was found and says what lies in what. */
function nest(
  found: readonly { readonly kind: string; readonly whole: Node; readonly name: Node }[],
): readonly CodeSymbol[] {
  const around: { readonly endIndex: number; readonly name: string }[] = [];
  return found
    .toSorted((a, b) => a.whole.startIndex - b.whole.startIndex || b.whole.endIndex - a.whole.endIndex)
    .map(({ kind, whole, name }) => {
      while ((around.at(-1)?.endIndex ?? Infinity) <= whole.startIndex) around.pop();
      const container = around.map((outer) => outer.name).join(".");
      const text = name.text.trim().replace(/\s+/g, " ").slice(0, MAX_NAME_CHARACTERS);
      around.push({ endIndex: whole.endIndex, name: text });
      return {
        name: text,
        kind: kind === "function" && isMember(whole) ? "method" : kind,
        container,
        startLine: whole.startPosition.row + 1,
        // Some grammars count the line end to the symbol.
        endLine: whole.endPosition.row + (whole.endPosition.column === 0 ? 0 : 1),
        nameLine: name.startPosition.row + 1,
        nameColumn: name.startPosition.column + 1,
      };
    });
}

/** Whether a function stands directly in a class or the like, where a grammar has one node for both. */
function isMember(node: Node): boolean {
  let parent = node.parent;
  while (
    parent !== null &&
    /^(block|decorated_definition|declaration_list|field_declaration_list)$/.test(parent.type)
  ) {
    parent = parent.parent;
  }
  return (
    parent !== null && /^(class_definition|class_specifier|struct_specifier|impl_item|trait_item)$/.test(parent.type)
  );
}
