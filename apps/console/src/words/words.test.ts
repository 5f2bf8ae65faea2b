import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { chooseCatalogue } from "./catalogues.ts";
import { english } from "./english.ts";
import { sayCount } from "./say-count.ts";
import { say } from "./say.ts";

const SOURCES = path.resolve(import.meta.dirname, "..");

/** Texts in these are drawings, code to copy, files to keep and words to look for, which are the same in every language. */
const NOT_WORDS = [
  "ui/icon.tsx",
  "ui/write-html.ts",
  "screens/ask/small-words.ts",
  "screens/playground/copy-as.ts",
  "words/",
];
/** Values of the API, and code to copy. */
const DATA = new Set(["personal site", "financial report", "ApiError"]);
const isCode = (text: string): boolean => /^(import|const) |^[[{<./#]/.test(text);

const READ_OUT = new Set(["aria-label", "title", "placeholder", "label", "lead", "empty", "heading", "alt", "text"]);
const NEVER_SEEN =
  /^(className|style|to|href|search|params|type|role|id|key|rel|target|d|kind|tone|icon|autoComplete|name|htmlFor|width|queryKey)$/;
const TAKES_NO_WORDS = /querySelector|closest|includes|startsWith|getRouteApi|join|say|tell|sayCount/;
const LOOKS = /^\s*(button|notice|badge|input|nav-body|card|row|stack) /;

/** Texts that a reader would see and that do not come from the table: those between tags, read out, or more than a word. */
function findLooseTexts(name: string, source: string): readonly string[] {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const tell = (node: ts.Node, text: string): void => {
    found.push(`${name}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}: ${text.trim()}`);
  };
  const look = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || isOutOfSight(node)) return;
    if (ts.isJsxText(node)) {
      if (/[a-z]/i.test(node.text) && !isNameOfKey(node.parent)) tell(node, node.text);
    } else if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      const { text } = node;
      if (!DATA.has(text) && !isCode(text) && (isSentence(text) || (isReadOut(node) && /[a-z]{2}/i.test(text)))) {
        tell(node, text);
      }
    }
    ts.forEachChild(node, look);
  };
  look(file);
  return found;
}

function isSentence(text: string): boolean {
  return (/[a-z]{2}\s|\s[a-z]{2}/i.test(text) || /^[A-Z][a-z]/.test(text)) && !LOOKS.test(text);
}

/** What a key or a command is called stands between these tags. */
function isNameOfKey(node: ts.Node): boolean {
  return ts.isJsxElement(node) && ["code", "kbd"].includes(node.openingElement.tagName.getText());
}

function isReadOut({ parent }: ts.Node): boolean {
  if (ts.isJsxAttribute(parent) || ts.isPropertyAssignment(parent)) return READ_OUT.has(parent.name.getText());
  return ts.isJsxExpression(parent) && !ts.isJsxAttribute(parent.parent);
}

function isOutOfSight(node: ts.Node): boolean {
  if (ts.isJsxAttribute(node) || ts.isPropertyAssignment(node)) {
    const name = node.name.getText();
    const isWord = ts.isJsxAttribute(node) && node.initializer !== undefined && ts.isStringLiteral(node.initializer);
    return (
      name.startsWith("data-") ||
      (NEVER_SEEN.test(name) && (ts.isJsxAttribute(node) || name !== "name")) ||
      (isWord && !READ_OUT.has(name))
    );
  }
  if (ts.isCallExpression(node)) return TAKES_NO_WORDS.test(node.expression.getText()) && node.arguments.length === 1;
  if (ts.isNewExpression(node)) return node.expression.getText().startsWith("Intl.");
  if (ts.isBinaryExpression(node)) {
    return [ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken].includes(
      node.operatorToken.kind,
    );
  }
  return false;
}

function listSources(directory = ""): readonly string[] {
  return readdirSync(path.join(SOURCES, directory), { withFileTypes: true }).flatMap((entry) => {
    const below = path.posix.join(directory, entry.name);
    if (entry.isDirectory()) return listSources(below);
    return /\.tsx?$/.test(below) && !/\.test\.ts$/.test(below) ? [below] : [];
  });
}

describe("the words of the console", () => {
  verifies("console:shell:i18n-scaffold", "come from one table, all of them, and no message of it is unused", () => {
    const sources = listSources().map((name) => [name, readFileSync(path.join(SOURCES, name), "utf8")] as const);
    const loose = sources
      .filter(([name]) => !NOT_WORDS.some((start) => name.startsWith(start)))
      .flatMap(([name, source]) => findLooseTexts(name, source));
    expect(loose).toEqual([]);
    const told = sources
      .filter(([name]) => !name.startsWith("words/english"))
      .map(([, source]) => source)
      .join("\n");
    const keys = new Set([...told.matchAll(/"([\w-]+\.[\w.]+)"/g)].map(([, key]) => key));
    const unused = Object.keys(english).filter((key) => !keys.has(key.replace(/\.(one|other)$/, "")));
    expect(unused).toEqual([]);
  });

  it("finds texts that bypass the table: between tags, read out, in a choice and in a template", () => {
    const source = `
      const COLUMNS = [{ heading: "Name" }];
      export const A = ({ n }) => <p className="soft small" title="Hello"><b>Not so</b>{n === "One" ? "Go on" : say("a.b")}</p>;
      export const b = (n) => \`about \${n} pages\`;
      export const C = () => <code>npm start</code>;`;
    expect(findLooseTexts("a.tsx", source)).toEqual([
      "a.tsx:2: Name",
      "a.tsx:3: Hello",
      "a.tsx:3: Not so",
      "a.tsx:3: Go on",
      "a.tsx:4: about",
      "a.tsx:4: pages",
    ]);
  });

  it("speaks the first language of the reader that it knows, with their way to write numbers", () => {
    const catalogues = { en: english, de: { "ui.close": "Schließen" } };
    const { catalogue, ...rest } = chooseCatalogue(["fr-CH", "de-CH", "en"], catalogues);
    expect(rest).toEqual({ language: "de", formats: "de-CH" });
    expect([catalogue["ui.close"], catalogue["ui.copy"]]).toEqual(["Schließen", "Copy"]);
    expect(chooseCatalogue(["constructor", "fr"], catalogues)).toEqual({
      language: "en",
      formats: "en",
      catalogue: english,
    });
  });

  it("fills in places and counts", () => {
    expect(say("approvals.all", { count: 12_000 })).toBe("All 12,000");
    expect(["crawl.pages", "ask.results"].map((key) => sayCount(key as "crawl.pages", 1))).toEqual([
      "1 page",
      "1 result",
    ]);
    expect(sayCount("crawl.pages", 50_000)).toBe("50,000 pages");
  });
});
