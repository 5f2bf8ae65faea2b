import ts from "typescript";

/** Something a function waits for while it holds a transaction, without handing the transaction on. */
export interface OutsideAwait {
  readonly file: string;
  readonly line: number;
  readonly awaited: string;
}

/**
 * The awaits of a source file that are inside a transaction and do not name it: in a callback of `.transaction(…)`, or in a
 * function that takes a `Transaction`. Whatever waits for the database names it; whatever does not may wait for a stranger's
 * server, with locks held.
 */
export function findOutsideAwaits(file: string, source: string): readonly OutsideAwait[] {
  if (!/transaction/i.test(source)) return []; // to parse it would be most of the work
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: OutsideAwait[] = [];
  const look = (node: ts.Node): void => {
    const names = ts.isFunctionLike(node) ? transactionNames(node) : [];
    if (names.length > 0) {
      for (const awaited of awaitsIn(node)) {
        if (names.some((name) => mentions(awaited, name))) continue;
        const line = parsed.getLineAndCharacterOfPosition(awaited.getStart()).line + 1;
        found.push({ file, line, awaited: awaited.getText().replaceAll(/\s+/g, " ") });
      }
    }
    ts.forEachChild(node, look);
  };
  look(parsed);
  return found;
}

function transactionNames(node: ts.SignatureDeclaration): readonly string[] {
  const call = node.parent;
  const isCallback =
    ts.isCallExpression(call) &&
    ts.isPropertyAccessExpression(call.expression) &&
    call.expression.name.text === "transaction" &&
    call.arguments[0] === node;
  return node.parameters
    .filter(({ type }, index) => (isCallback && index === 0) || type?.getText() === "Transaction")
    .map(({ name }) => name.getText());
}

function awaitsIn(node: ts.Node): readonly ts.Expression[] {
  const awaits: ts.Expression[] = [];
  const look = (inner: ts.Node): void => {
    if (ts.isAwaitExpression(inner)) awaits.push(inner.expression);
    ts.forEachChild(inner, look);
  };
  look(node);
  return awaits;
}

function mentions(node: ts.Node, name: string): boolean {
  if (ts.isIdentifier(node) && node.text === name) return true;
  return ts.forEachChild(node, (inner) => mentions(inner, name)) ?? false;
}
