import { readFile } from "node:fs/promises";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import type { Tool } from "../../tool.ts";
import { parseRule, readCursorRules, type CursorRule } from "../../workspace/cursor-rules.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { textsOf, workspaceTool } from "../workspace-tool.ts";

/** Rules that are one file for a whole workspace. */
const WHOLE_FILES = ["AGENTS.md", "CLAUDE.md"];
/** How much of one rule is shown. */
const MAX_RULE_CHARACTERS = 50_000;

/** aiserver.v1 FetchRules: rules that people wrote for agents, by name. */
export function fetchRulesTool(deps: Pick<WorkspaceDeps, "rootsOf">): Tool {
  return workspaceTool(deps, {
    name: "fetch_rules",
    clientTool: ClientSideToolV2.FETCH_RULES,
    title: "Fetch rules",
    description: "Fetches rules of the workspace by name: .cursor/rules/*.mdc, AGENTS.md and CLAUDE.md.",
    tier: "read",
    messages: "FetchRules",
    properties: { ruleNames: { type: "array", items: { type: "string" }, description: "Which rules" } },
    required: [],
    pathsOf: () => [],
    run: async (args, context) => {
      const wanted = textsOf(args, "ruleNames");
      const all = (await Promise.all(deps.rootsOf(context.session).map(readRules))).flat();
      const names = [...new Set(all.map(({ name }) => name))].join(", ") || "none";
      if (wanted.length === 0) {
        throw new AppError("invalid_request", `ruleNames: name the rules to fetch; there are ${names}`);
      }
      const unknown = wanted.filter((name) => !all.some((rule) => isNamed(rule, name)));
      if (unknown.length > 0) {
        throw new AppError("not_found", `ruleNames: there are no rules ${unknown.join(", ")}; there are ${names}`);
      }
      return { rules: all.filter((rule) => wanted.some((name) => isNamed(rule, name))).map(toMessage) };
    },
  });
}

async function readRules(root: string): Promise<readonly CursorRule[]> {
  const whole = await Promise.all(
    WHOLE_FILES.map(async (name) => {
      const fullPath = path.join(root, name);
      const text = await readFile(fullPath, "utf8").catch(() => undefined); // most workspaces have none
      if (text === undefined) return [];
      const { body } = parseRule(name, fullPath, text);
      return [{ name, description: `What ${name} says to agents`, globs: [], alwaysApply: true, body, fullPath }];
    }),
  );
  return [...(await readCursorRules(root)), ...whole.flat()];
}

function isNamed(rule: CursorRule, name: string): boolean {
  return rule.name === name || `${rule.name}.mdc` === name;
}

function toMessage({ name, description, body, globs, alwaysApply, fullPath }: CursorRule): JsonObject {
  return {
    name,
    description,
    body: body.slice(0, MAX_RULE_CHARACTERS),
    isFromGlob: globs.length > 0,
    alwaysApply,
    fullPath,
  };
}
