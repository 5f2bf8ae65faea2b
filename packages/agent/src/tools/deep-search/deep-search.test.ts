import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { withWorkspace } from "../../testing-workspace.ts";
import { deepSearchTool } from "./deep-search.ts";

const FILES = {
  "src/tax.ts":
    "/** The tax of an invoice. */\nexport function taxOf(invoice: Invoice): number {\n  return invoice.total * RATE;\n}\n",
  "src/report.py": "def report(invoices):\n    return [tax_of(one) for one in invoices]\n",
  "docs/plants.md": "Water the plants twice a week.\n",
  ".env": "TAXOF_KEY=invoice",
};

describe("deep_search", () => {
  verifies(
    ["tools:deep-search:params:query", "tools:deep-search:result:success", "tools:deep-search:result:result"],
    "reports with file and line what several ways found, and says what was tried when nothing was",
    () =>
      withWorkspace(FILES, async ({ deps, run }) => {
        const tool = deepSearchTool(deps);
        const { success, result } = await run(tool, { query: "where does taxOf read the invoice?" });
        expect(success).toBe(true);
        const report = typeof result === "string" ? result : "";
        expect(report).toMatch(/^# where does taxOf read the invoice\?\n\nTried: question “.*” \(2\)/);
        expect(report).toContain("there is no embedding model on this machine");
        const [first = "", second = ""] = report.split("\n## ").slice(1);
        expect(first.split("\n")).toEqual([
          "src/tax.ts:1-4 — function taxOf",
          expect.stringMatching(/^Found by question “.*”, words “.*”, symbol “taxOf”, text “taxOf”/),
          "```",
          ...FILES["src/tax.ts"].trimEnd().split("\n"),
          "```",
          "",
        ]);
        expect(second).toMatch(/^src\/report\.py:1-2/);
        expect(report).not.toContain("KEY");
        expect(await run(tool, { query: "quantum zebra" })).toEqual({
          success: false,
          result: expect.stringMatching(/Nothing was found for “quantum zebra”. Tried: question/) as string,
        });
      }),
  );
});
