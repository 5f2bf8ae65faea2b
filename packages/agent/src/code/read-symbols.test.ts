import { describe, expect, it } from "vitest";
import { chunkCode } from "./chunk-code.ts";
import { qualifiedName } from "./code-symbol.ts";
import { codeWords, questionWords } from "./code-words.ts";
import { readSymbols } from "./read-symbols.ts";

describe("symbols", () => {
  it.each([
    [
      "a.ts",
      "export const a = 1;\nclass A {\n  m() {}\n}\ninterface I {\n  q(): void;\n}\n",
      "variable a, class A, method A.m, interface I, method I.q",
    ],
    ["a.tsx", "export function View() {\n  return <p />;\n}\n", "function View"],
    ["a.mjs", "var c = 2;\nclass A {\n  x = 1;\n}\n", "variable c, class A, property A.x"],
    ["a.py", "X = 1\nclass A:\n    def m(self):\n        pass\n", "variable X, class A, method A.m"],
    ["a.go", "package p\n\ntype T struct{}\n\nfunc (t T) M() {}\n\nfunc F() {}\n", "type T, method M, function F"],
    ["A.java", "class A {\n  int x;\n  A() {}\n  void m() {}\n}\n", "class A, field A.x, constructor A.A, method A.m"],
    ["A.cs", "namespace N {\n  class A {\n    void M() {}\n  }\n}\n", "namespace N, class N.A, method N.A.M"],
    ["a.cpp", "struct S {\n  int f() { return 1; }\n};\nvoid g() {}\n", "struct S, method S.f, function g"],
    ["a.rs", "struct S;\nimpl S {\n    fn m(&self) {}\n}\nfn f() {}\n", "struct S, impl S, method S.m, function f"],
    ["a.rb", "module M\n  class C\n    def m; end\n  end\nend\n", "module M, class M.C, method M.C.m"],
    ["a.php", "<?php\nfunction f() {}\nclass A { function m() {} }\n", "function f, class A, method A.m"],
    ["a.sh", "run() {\n  true\n}\n", "function run"],
    ["a.ps1", "function Get-It { 1 }\n", "function Get-It"],
    ["a.css", ".a, .b { color: red }\n", "selector .a, .b"],
    ["a.ini", "[server]\nport=1\n", "section [server]"],
  ])("of %s", async (file, text, expected) => {
    const symbols = (await readSymbols(file, text)) ?? [];
    expect(symbols.map((symbol) => `${symbol.kind} ${qualifiedName(symbol)}`).join(", ")).toBe(expected);
  });

  it("of a file with mistakes are those that can be read, of an unknown language none", async () => {
    const symbols = await readSymbols("a.ts", "function ok() {}\nclass {{{\n");
    expect(symbols?.map(({ name, startLine, nameColumn }) => [name, startLine, nameColumn])).toEqual([["ok", 1, 10]]);
    expect(await readSymbols("a.txt", "hello")).toBeUndefined();
  });
});

describe("chunks", () => {
  const body = (lines: number): string => Array.from({ length: lines }, (_, at) => `  step(${at});`).join("\n");

  it("are whole symbols with the comment above them, small ones together, large ones apart", async () => {
    const text = `import x;\n\n// Says it.\nfunction one() {\n${body(14)}\n}\nconst a = 1;\nconst b = 2;\nfunction two() {\n${body(130)}\n}\n`;
    const lines = text.trimEnd().split("\n");
    const chunks = chunkCode(lines, (await readSymbols("a.js", text)) ?? []);
    expect(chunks.map(({ startLine, endLine, header }) => [startLine, endLine, header])).toEqual([
      [1, 2, ""],
      [3, 19, "function one"],
      [20, 21, "variable a, variable b"],
      [22, 81, "function two"],
      [82, 153, "function two"],
    ]);
  });

  it("of prose end at empty lines, and blank ones are left out", () => {
    const lines = [...Array.from({ length: 50 }, () => "words"), "", ...Array.from({ length: 60 }, () => "more")];
    expect(chunkCode(lines, []).map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
      [1, 51],
      [52, 111],
    ]);
    expect(chunkCode(["", "  ", "---"], [])).toEqual([]);
  });
});

it("splits names into their words, without endings", () => {
  expect(codeWords("parseHTTPReplies snake_case_2 x")).toEqual([
    "pars",
    "http",
    "reply",
    "parsehttpreplies",
    "snak",
    "cas",
    "2",
    "snake_case_2",
    "x",
  ]);
  expect(codeWords("parsed parsing parses")).toEqual(["pars", "pars", "pars"]);
  expect(questionWords("where is the invoice?")).toEqual(["invoic"]);
  expect(questionWords("what is it")).toEqual(["what", "is", "it"]);
});
