import { writeFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { withWorkspace } from "../../testing-workspace.ts";
import { searchSymbolsTool } from "../search-symbols/search-symbols.ts";
import { goToDefinitionTool } from "./go-to-definition.ts";

const FILES = {
  "src/money.ts":
    "export class Money {\n  constructor(readonly cents: number) {}\n  add(other: Money): Money {\n    return new Money(this.cents + other.cents);\n  }\n}\n",
  "src/list.ts": "export class List {\n  add(item: string): void {}\n}\n",
  "src/shop.ts":
    'import { Money } from "./money.ts";\nconst price = new Money(1);\nconst sum = price.add(price);\nconst text = String(sum);\n',
  "pay/tax.py": "RATE = 0.2\n\n\ndef add_tax(amount):\n    return amount * (1 + RATE)\n",
  "pay/shop.py": "from pay.tax import add_tax as with_tax\n\nprint(with_tax(10))\n",
  "pay/__init__.py": "",
  "cmd/main.go": "package main\n\n// run does it.\nfunc run(n int) int {\n\treturn n\n}\n\nfunc main() { run(1) }\n",
  "cmd/other.go": "package main\n\nfunc (s Server) run() {}\n",
};

describe("go_to_definition", () => {
  verifies(
    [
      "tools:go-to-definition:params:relative-workspace-path",
      "tools:go-to-definition:params:symbol",
      "tools:go-to-definition:params:start-line",
      "tools:go-to-definition:params:end-line",
      "tools:go-to-definition:result:definitions",
      "tools:go-to-definition:result:definitions-fully-qualified-name",
      "tools:go-to-definition:result:definitions-symbol-kind",
      "tools:go-to-definition:result:definitions-lines",
      "tools:go-to-definition:result:definitions-code-context-lines",
      "tools:go-to-definition:behaviour:languages",
    ],
    "follows TypeScript and Python by what they mean, and other languages by their names",
    () =>
      withWorkspace(FILES, async ({ root, deps, run }) => {
        const tool = goToDefinitionTool(deps);
        const go = async (relativeWorkspacePath: string, symbol: string, lines = {}) =>
          (await run(tool, { relativeWorkspacePath, symbol, ...lines }))["definitions"];
        // By name alone there would be two: the compiler knows which one is meant.
        expect(await go("src/shop.ts", "add")).toEqual([
          {
            relativeWorkspacePath: "src/money.ts",
            fullyQualifiedName: "Money.add",
            symbolKind: "method",
            startLine: 3,
            endLine: 5,
            codeContextLines: [
              "  add(other: Money): Money {",
              "    return new Money(this.cents + other.cents);",
              "  }",
            ],
          },
        ]);
        expect(await go("src/shop.ts", "price.add", { startLine: 3, endLine: 3 })).toHaveLength(1);
        await expect(go("src/shop.ts", "price.add", { startLine: 1, endLine: 2 })).rejects.toThrow(
          /price\.add is not in lines 1 to 2 of src\/shop\.ts/,
        );
        await expect(go("src/shop.ts", "String")).rejects.toThrow(/defined outside the workspace, in lib\./);
        // A service that runs also knows what the index leaves out.
        expect((await run(searchSymbolsTool(deps), { query: "cents" }))["matches"]).toMatchObject([
          { name: "cents", range: { startLine: 2, startCharacter: 24 }, secondaryText: "Money · src/money.ts" },
        ]);
        // A file that changed is seen at once.
        writeFileSync(path.join(root, "src/money.ts"), `// Money\n${FILES["src/money.ts"]}`);
        expect(await go("src/shop.ts", "add")).toMatchObject([{ startLine: 4, endLine: 6 }]);
        // The name is another one where it is defined.
        expect(await go("pay/shop.py", "with_tax", { startLine: 3 })).toEqual([
          {
            relativeWorkspacePath: "pay/tax.py",
            fullyQualifiedName: "add_tax",
            symbolKind: "function",
            startLine: 4,
            endLine: 5,
            codeContextLines: ["def add_tax(amount):", "    return amount * (1 + RATE)"],
          },
        ]);
        expect(await go("cmd/main.go", "run", { startLine: 8, endLine: 8 })).toMatchObject([
          { relativeWorkspacePath: "cmd/main.go", symbolKind: "function", startLine: 4, endLine: 6 },
          { relativeWorkspacePath: "cmd/other.go", symbolKind: "method", startLine: 3, endLine: 3 },
        ]);
      }),
    60_000,
  );

  verifies(
    "tools:go-to-definition:behaviour:nearest-symbols",
    "names the nearest symbols when there is no definition",
    () =>
      withWorkspace({ ...FILES, "cmd/use.go": "package main\n\nfunc use() { rnu(1) }\n" }, async ({ deps, run }) => {
        const tool = goToDefinitionTool(deps);
        await expect(run(tool, { relativeWorkspacePath: "cmd/use.go", symbol: "rnu" })).rejects.toThrow(
          /there is no definition of rnu in the workspace; the nearest symbols are run/,
        );
        await expect(run(tool, { relativeWorkspacePath: "cmd/main.go", symbol: "runn" })).rejects.toThrow(
          /runn is not in lines 1 to 8 of cmd\/main\.go; the nearest symbols are run/,
        );
      }),
  );

  it("refuses lines in the wrong order and files that are not code", () =>
    withWorkspace({ ...FILES, "a.bin": Buffer.from([0, 1]) }, async ({ deps, run }) => {
      const tool = goToDefinitionTool(deps);
      const backwards = { relativeWorkspacePath: "src/shop.ts", symbol: "add", startLine: 3, endLine: 2 };
      await expect(run(tool, backwards)).rejects.toThrow(/endLine: give a line at or after startLine/);
      await expect(run(tool, { relativeWorkspacePath: "a.bin", symbol: "x" })).rejects.toThrow(/not code/);
    }));
});
