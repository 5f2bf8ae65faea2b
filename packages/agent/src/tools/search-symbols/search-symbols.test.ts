import { pathToFileURL } from "node:url";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { withWorkspace } from "../../testing-workspace.ts";
import { searchSymbolsTool } from "./search-symbols.ts";

const FILES = {
  "src/money.ts": "export class Money {\n  add(other: Money): Money {\n    return other;\n  }\n}\n",
  "lib/list.rb": "class List\n  def add(item)\n  end\nend\n",
  "lib/address.py": "def parse_address(text):\n    return text\n",
  ".cursorignore": "private/\n",
  "private/add.ts": "export function add() {}\n",
};

describe("search_symbols", () => {
  verifies(
    [
      "tools:search-symbols:params:query",
      "tools:search-symbols:result:matches",
      "tools:search-symbols:result:rejected",
      "tools:search-symbols:result:matches-name",
      "tools:search-symbols:result:matches-uri",
      "tools:search-symbols:result:matches-range",
      "tools:search-symbols:result:matches-secondary-text",
      "tools:search-symbols:result:matches-label-matches",
      "tools:search-symbols:result:matches-description-matches",
      "tools:search-symbols:result:matches-score",
    ],
    "finds symbols of several languages by fuzzy name, with the parts that matched, best first",
    () =>
      withWorkspace(FILES, async ({ root, deps, run }) => {
        const tool = searchSymbolsTool(deps);
        const find = async (query: string) =>
          (await run(tool, { query }))["matches"] as { name: string; score: number }[];
        const uri = (file: string) => pathToFileURL(path.join(root, file)).href;
        const found = await find("add");
        expect(found.map(({ name }) => name)).toEqual(["add", "add", "parse_address"]);
        expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).toSorted((a, b) => b - a));
        expect(await find("Money.add")).toEqual([
          {
            name: "add",
            uri: uri("src/money.ts"),
            range: { startLine: 2, startCharacter: 3, endLine: 2, endCharacter: 6 },
            secondaryText: "Money · src/money.ts",
            labelMatches: [{ start: 0, end: 3 }],
            descriptionMatches: [{ start: 0, end: 5 }],
            score: expect.any(Number) as number,
          },
        ]);
        expect(await find("prsAdr")).toMatchObject([]); // capitals are meant
        expect(await find("prsadr")).toMatchObject([
          { name: "parse_address", labelMatches: [{}, {}, {}, {}], uri: uri("lib/address.py") },
        ]);
        expect(await find("nothing like it")).toEqual([]);
        expect(tool.refuse({}, "no")).toEqual({ rejected: true });
      }),
  );

  it("gives 50 at most", () =>
    withWorkspace(
      Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${at}.go`, `package p\n\nfunc Handle${at}() {}\n`])),
      async ({ deps, run }) => {
        expect((await run(searchSymbolsTool(deps), { query: "handle" }))["matches"]).toHaveLength(50);
      },
    ));
});
