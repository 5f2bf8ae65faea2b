import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { withWorkspace } from "../../testing-workspace.ts";
import { fetchRulesTool } from "./fetch-rules.ts";

describe("fetch_rules", () => {
  verifies(
    [
      "tools:fetch-rules:params:rule-names",
      "tools:fetch-rules:result:rules",
      "tools:fetch-rules:behaviour:unknown-names",
    ],
    "gives rules by name, and lists the names that are none",
    () =>
      withWorkspace(
        {
          ".cursor/rules/style.mdc":
            "---\ndescription: How we write\nglobs: *.ts\nalwaysApply: false\n---\nUse tabs.\n",
          ".cursor/rules/always.mdc": "---\nalwaysApply: true\n---\nBe kind.\n",
          "AGENTS.md": "Run the tests.",
        },
        async ({ root, deps, run }) => {
          const tool = fetchRulesTool(deps);
          expect(await run(tool, { ruleNames: ["style", "AGENTS.md"] })).toEqual({
            rules: [
              {
                name: "style",
                description: "How we write",
                body: "Use tabs.",
                isFromGlob: true,
                alwaysApply: false,
                fullPath: `${root}/.cursor/rules/style.mdc`,
              },
              {
                name: "AGENTS.md",
                description: "What AGENTS.md says to agents",
                body: "Run the tests.",
                isFromGlob: false,
                alwaysApply: true,
                fullPath: `${root}/AGENTS.md`,
              },
            ],
          });
          await expect(run(tool, { ruleNames: ["style", "nope", "neither"] })).rejects.toThrow(
            "there are no rules nope, neither; there are always, style, AGENTS.md",
          );
          await expect(run(tool, {})).rejects.toThrow(/name the rules to fetch; there are always/);
        },
      ),
  );
});
