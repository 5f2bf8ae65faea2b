import ts from "typescript";

/** A small change of a source file that tests should notice. */
export interface Mutant {
  /** From the repository's root. */
  readonly file: string;
  readonly line: number;
  /** What stood there and what stands there now, on one line. */
  readonly change: string;
  /** The whole file with the change. */
  readonly text: string;
}

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

/**
 * Every mutant of a source file: conditions decided, comparisons and signs swapped, negations, awaits, statements and rows of tables
 * taken away, numbers one more, words emptied, and the like in SQL. Sentences, types, and imports stay as they are.
 */
export function makeMutants(file: string, text: string): readonly Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const replacements: Replacement[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    replacements.push(...replacementsOf(node, source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return replacements.map(({ start, end, by }) => ({
    file,
    line: source.getLineAndCharacterOfPosition(start).line + 1,
    change: `${oneLine(text.slice(start, end))} → ${by === "" ? "nothing" : oneLine(by)}`,
    text: `${text.slice(0, start)}${by}${text.slice(end)}`,
  }));
}

function replacementsOf(node: ts.Node, source: ts.SourceFile): readonly Replacement[] {
  const swap = (target: ts.Node, ...by: readonly string[]): readonly Replacement[] =>
    by.map((each) => ({ start: target.getStart(source), end: target.getEnd(), by: each }));

  if (ts.isIfStatement(node)) return swap(node.expression, "true", "false");
  if (ts.isWhileStatement(node)) return swap(node.expression, "false");
  if (ts.isConditionalExpression(node)) return swap(node.condition, "true", "false");
  if (ts.isBinaryExpression(node))
    return swap(node.operatorToken, ...(OPERATORS[node.operatorToken.getText(source)] ?? []));
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    return swap(node, node.operand.getText(source));
  }
  if (ts.isAwaitExpression(node)) return swap(node, node.expression.getText(source));
  if (ts.isExpressionStatement(node) || ts.isThrowStatement(node) || ts.isContinueStatement(node))
    return swap(node, ";");
  if (ts.isReturnStatement(node) && node.expression === undefined) return swap(node, ";");
  if (ts.isNumericLiteral(node)) return swap(node, `(${node.text} + 1)`);
  if (node.kind === ts.SyntaxKind.TrueKeyword) return swap(node, "false");
  if (node.kind === ts.SyntaxKind.FalseKeyword) return swap(node, "true");
  if (ts.isPropertyAssignment(node) && ts.isStringLiteral(node.name)) return swap(node, "");
  if (ts.isStringLiteral(node) || ts.isTemplateLiteral(node)) {
    return isSql(node.getText(source)) ? replacementsInSql(node, source) : emptied(node, swap);
  }
  return [];
}

/** `+` joins texts as often as it adds, and `=` has no other: they stay. */
const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  "===": ["!=="],
  "!==": ["==="],
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "&&": ["||"],
  "||": ["&&"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
};

/** A word decides something; a sentence is for people, and a name of a property or case is no value. */
function emptied(node: ts.Node, swap: (target: ts.Node, by: string) => readonly Replacement[]): readonly Replacement[] {
  const isValue = ts.isStringLiteral(node) && !ts.isPropertyAssignment(node.parent) ? true : isAssigned(node);
  if (!ts.isStringLiteral(node) || !isValue || /\s/.test(node.text)) return [];
  return swap(node, node.text === "" ? '"mutant"' : '""');
}

function isAssigned(node: ts.Node): boolean {
  return ts.isPropertyAssignment(node.parent) && node.parent.initializer === node;
}

function isSql(text: string): boolean {
  return /\b(?:SELECT|UPDATE|INSERT INTO|DELETE FROM|WHERE|ORDER BY)\b/.test(text);
}

const SQL_SWAPS: readonly (readonly [RegExp, string])[] = [
  [/\bAND\b/g, "OR"],
  [/\bOR\b(?! REPLACE)/g, "AND"],
  [/ <= /g, " < "],
  [/ < /g, " <= "],
  [/ >= /g, " > "],
  [/ > /g, " >= "],
  [/\bIS NULL\b/g, "IS NOT NULL"],
  [/\bIS NOT NULL\b/g, "IS NULL"],
  [/ DESC\b/g, " ASC"],
  [/ FOR UPDATE(?: OF \w+)?(?: SKIP LOCKED)?/g, ""],
  [/ SKIP LOCKED/g, ""],
  [/ DISTINCT\b/g, ""],
];

function replacementsInSql(node: ts.Node, source: ts.SourceFile): readonly Replacement[] {
  const begin = node.getStart(source);
  const text = node.getText(source);
  const swaps = SQL_SWAPS.flatMap(([pattern, by]) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
      start: begin + index,
      end: begin + index + found.length,
      by,
    })),
  );
  // An `=` compares where the word before it that opens a clause says so; after SET it assigns.
  const comparisons = [...text.matchAll(/ = /g)]
    .filter(({ index }) => /\b(?:WHERE|AND|OR|ON|WHEN|NOT|HAVING)\b[^,]*$/.test(lastClause(text.slice(0, index))))
    .map(({ index }) => ({ start: begin + index, end: begin + index + 3, by: " <> " }));
  return [...swaps, ...comparisons];
}

function lastClause(text: string): string {
  const clauses = [...text.matchAll(/\b(?:WHERE|AND|OR|ON|WHEN|NOT|HAVING|SET)\b/g)];
  return text.slice(clauses.at(-1)?.index ?? 0);
}

function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > 90 ? `${line.slice(0, 90)}…` : line;
}
