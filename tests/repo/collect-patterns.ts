import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/** A regular expression of the product, and where it is written. */
export interface FoundPattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

/** Stands where a pattern holds a value that is known only when it runs: an escaped word, mostly. */
const SOME_WORD = "ab";

/**
 * The regular expressions of TypeScript files: literals, and those made by `RegExp` of a text that is written there.
 * Constants of the same file are filled in; another value is taken for a word.
 */
export function collectPatterns(root: string, files: readonly string[]): readonly FoundPattern[] {
  const found = new Map<string, FoundPattern>();
  for (const file of files) {
    const text = readFileSync(path.join(root, file), "utf8");
    if (!MAY_HOLD_PATTERN.test(text)) continue;
    const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
    const constants = readConstants(tree);
    const visit = (node: ts.Node): void => {
      const pattern = ts.isRegularExpressionLiteral(node) ? splitLiteral(node.text) : readMade(node, constants);
      if (pattern !== undefined) found.set(`${file} ${pattern.source}/${pattern.flags}`, { file, ...pattern });
      ts.forEachChild(node, visit);
    };
    visit(tree);
  }
  return [...found.values()];
}

/** Reading a file's tree is dear, and most hold no pattern. */
const MAY_HOLD_PATTERN = /\bRegExp\(|[(=,:?&|[!{;>\s]\/[^/*\n]/;

type Constants = ReadonlyMap<string, ts.Expression>;

function readConstants(tree: ts.SourceFile): Constants {
  const constants = new Map<string, ts.Expression>();
  for (const statement of tree.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations)
      if (ts.isIdentifier(name) && initializer !== undefined) constants.set(name.text, initializer);
  }
  return constants;
}

function splitLiteral(text: string): { readonly source: string; readonly flags: string } {
  const end = text.lastIndexOf("/");
  return { source: text.slice(1, end), flags: text.slice(end + 1) };
}

function readMade(
  node: ts.Node,
  constants: Constants,
): { readonly source: string; readonly flags: string } | undefined {
  if (!ts.isNewExpression(node) || !ts.isIdentifier(node.expression) || node.expression.text !== "RegExp") return;
  const [source, flags] = node.arguments ?? [];
  if (source === undefined || (ts.isIdentifier(source) && !constants.has(source.text))) return;
  const known = flags !== undefined && ts.isStringLiteralLike(flags) ? flags.text : "";
  return { source: writtenText(source, constants), flags: known };
}

function writtenText(node: ts.Expression, constants: Constants): string {
  if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return node.text;
  if (ts.isRegularExpressionLiteral(node)) return splitLiteral(node.text).source;
  if (ts.isTaggedTemplateExpression(node)) return rawTemplate(node.template, constants);
  if (ts.isTemplateExpression(node)) return rawTemplate(node, constants, "cooked");
  if (ts.isBinaryExpression(node)) return writtenText(node.left, constants) + writtenText(node.right, constants);
  if (ts.isPropertyAccessExpression(node) && node.name.text === "source")
    return writtenText(node.expression, constants);
  if (ts.isIdentifier(node)) {
    const constant = constants.get(node.text);
    return constant === undefined ? SOME_WORD : writtenText(constant, constants);
  }
  const joined = joinedList(node);
  if (joined === undefined) return SOME_WORD;
  return joined.parts.map((part) => writtenText(part, constants)).join(joined.separator);
}

/** `[…].join("…")`. */
function joinedList(
  node: ts.Expression,
): { readonly parts: readonly ts.Expression[]; readonly separator: string } | undefined {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression: list, name } = node.expression;
  const [separator] = node.arguments;
  if (name.text !== "join" || !ts.isArrayLiteralExpression(list)) return undefined;
  if (separator === undefined || !ts.isStringLiteralLike(separator)) return undefined;
  return { parts: list.elements.filter((part) => !ts.isSpreadElement(part)), separator: separator.text };
}

function rawTemplate(template: ts.TemplateLiteral, constants: Constants, form: "raw" | "cooked" = "raw"): string {
  const textOf = (part: ts.TemplateLiteralLikeNode): string =>
    form === "cooked" ? part.text : (part.rawText ?? part.text);
  if (ts.isNoSubstitutionTemplateLiteral(template)) return textOf(template);
  return (
    textOf(template.head) +
    template.templateSpans
      .map(({ expression, literal }) => writtenText(expression, constants) + textOf(literal))
      .join("")
  );
}
