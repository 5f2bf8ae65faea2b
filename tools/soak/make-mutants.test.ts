import { describe, expect, it } from "vitest";
import { makeMutants } from "./make-mutants.ts";

function changesOf(text: string): readonly string[] {
  return makeMutants("a.ts", text).map(({ change }) => change);
}

describe("makeMutants", () => {
  it.each([
    ["a condition", "if (a) b = c;", ["a → true", "a → false", "b = c; → ;"]],
    ["a loop", "while (a) {}", ["a → false"]],
    ["a choice", "const x = a ? b : c;", ["a → true", "a → false"]],
    ["a comparison", "const x = a < b;", ["< → <=", "< → >="]],
    ["an equality", "const x = a === b;", ["=== → !=="]],
    ["a connection", "const x = a && b;", ["&& → ||"]],
    ["a negation", "const x = !a;", ["!a → a"]],
    ["a wait", "const x = await a();", ["await a() → a()"]],
    ["a throw", "throw a;", ["throw a; → ;"]],
    ["a number", "const x = 5;", ["5 → (5 + 1)"]],
    ["a word", 'const x = "word";', ['"word" → ""']],
    ["nothing", 'const x = "";', ['"" → "mutant"']],
    ["a truth", "const x = true;", ["true → false"]],
    [
      "a row of a table",
      'const x = { "10.0.0.0/8": "private" };',
      ['"10.0.0.0/8": "private" → nothing', '"private" → ""'],
    ],
    [
      "SQL",
      "const x = `SELECT a FROM b WHERE c = $1 AND d <= 5 ORDER BY e DESC`;",
      ["AND → OR", "<= → <", "DESC → ASC", "= → <>"],
    ],
    ["an assignment in SQL", "const x = `UPDATE a SET b = $1, c = $2`;", []],
  ])("changes %s", (_, text, changes) => {
    expect(changesOf(text).map((change) => change.trim())).toEqual(changes);
  });

  it("leaves types, imports and sentences alone", () => {
    expect(
      changesOf(
        'import a from "b";\ntype C = "d" | 5;\ninterface E { f: "g" }\nconst h: "i" = k as "l";\nconst m = "two words";',
      ),
    ).toEqual([]);
  });

  it("says where, and has the whole file with the change and no other", () => {
    expect(makeMutants("a.ts", "const a = 1;\nconst b = 2;\n")).toEqual([
      { file: "a.ts", line: 1, change: "1 → (1 + 1)", text: "const a = (1 + 1);\nconst b = 2;\n" },
      { file: "a.ts", line: 2, change: "2 → (2 + 1)", text: "const a = 1;\nconst b = (2 + 1);\n" },
    ]);
  });
});
