import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/** One id named by one `verifies(…)` call. */
export interface Citation {
  readonly id: string;
  /** Path from the repository root, with `/`. */
  readonly file: string;
  readonly line: number;
}

/** What the test files of a tree say about requirements. */
export interface Citations {
  readonly citations: readonly Citation[];
  /** `file:line` of calls whose ids cannot be read from the source. */
  readonly unreadable: readonly string[];
}

const SEARCHED = ["packages", "apps", "tests", "tools"];
const SKIPPED = new Set(["node_modules", "dist", "fixtures", "gen"]);

/** Reads every `*.test.ts` below `root` and lists the requirement ids their `verifies(…)` calls name. */
export function findCitations(root: string): Citations {
  const files = SEARCHED.flatMap((directory) => testFilesBelow(root, directory));
  const found = files.map((file) => citationsIn(file, readFileSync(path.join(root, file), "utf8")));
  return {
    citations: found.flatMap(({ citations }) => citations),
    unreadable: found.flatMap(({ unreadable }) => unreadable),
  };
}

/** The citations of one file's text. */
export function citationsIn(file: string, text: string): Citations {
  if (!text.includes("verifies")) return { citations: [], unreadable: [] };
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const citations: Citation[] = [];
  const unreadable: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "verifies") {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      const ids = literalIds(node.arguments[0]);
      if (ids === undefined) unreadable.push(`${file}:${line}`);
      else citations.push(...ids.map((id) => ({ id, file, line })));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { citations, unreadable };
}

/** The ids of a literal, a list of literals, or a choice between such; undefined when there are none to read. */
function literalIds(node: ts.Expression | undefined): readonly string[] | undefined {
  const ids = node && literalsOf(node);
  return ids === undefined || ids.length === 0 ? undefined : ids;
}

function literalsOf(node: ts.Expression): readonly string[] | undefined {
  if (ts.isStringLiteralLike(node)) return [node.text];
  const parts = ts.isConditionalExpression(node)
    ? [node.whenTrue, node.whenFalse] // what is proven may depend on the machine
    : ts.isArrayLiteralExpression(node)
      ? node.elements
      : undefined;
  const ids = parts?.map(literalsOf);
  return ids?.every((list) => list !== undefined) === true ? ids.flat() : undefined;
}

function testFilesBelow(root: string, directory: string): readonly string[] {
  return readdirSync(path.join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const file = `${directory}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : testFilesBelow(root, file);
    return /\.test\.tsx?$/.test(entry.name) ? [file] : [];
  });
}
