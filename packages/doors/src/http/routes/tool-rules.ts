import { AppError, type Clock } from "@quarry/base";
import { deleteToolRule, listToolRules, saveToolRule, type Database, type SavedRule } from "@quarry/store";
import { z } from "zod";
import { defineRoute, type Route } from "../route.ts";

const texts = z.array(z.string().min(1).max(1_000)).min(1).max(50).optional();

/** Which calls a saved rule is about. A rule must say something, or it would allow everything. */
const matchSchema = z
  .strictObject({
    tools: texts.describe("Names of tools; `*` stands for anything."),
    hosts: texts.describe("Every host that the call reaches must be one of these."),
    paths: texts.describe("Every path that the call touches must be one of these."),
    commands: texts.describe("How a command of the shell begins."),
    mcpTools: texts.describe("`server:tool` of MCP."),
  })
  .refine((match) => Object.values(match).some((value) => value !== undefined), {
    error: "name tools, hosts, paths, commands or mcpTools; a rule that says nothing would allow every call",
  });

const ruleSchema = z
  .object({
    id: z.string(),
    sessionId: z.string().nullable(),
    match: z.record(z.string(), z.unknown()),
    createdBy: z.string(),
    createdAt: z.string(),
  })
  .meta({ id: "ToolRule" });

const common = { tag: "Approvals", access: "approvals" } as const;

/** The rules that answers saved for good: listed, added and forgotten by hand. They only allow; files and hooks deny. */
export function toolRuleRoutes(deps: { readonly db: Database; readonly clock: Clock }): readonly Route[] {
  const { db, clock } = deps;
  return [
    defineRoute({
      ...common,
      name: "listToolRules",
      method: "GET",
      path: "/quarry/v1/tool-rules",
      summary: "List the rules that let calls through without a question",
      response: z.object({ data: z.array(ruleSchema) }),
      handle: async (_, { caller }) => ({
        data: (await listToolRules(db, caller.teamId, undefined)).map(toReply),
      }),
    }),
    defineRoute({
      ...common,
      name: "createToolRule",
      method: "POST",
      path: "/quarry/v1/tool-rules",
      summary: "Let like calls through from now on, as an answer “always” does",
      status: 201,
      creates: true,
      body: z.object({ match: matchSchema }),
      response: z.object({ data: z.array(ruleSchema) }),
      handle: async ({ body }, { caller }) => {
        const rule = Object.fromEntries(
          Object.entries(body.match).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
        );
        const createdBy = caller.keyId ?? caller.teamId;
        await saveToolRule(db, { teamId: caller.teamId, sessionId: null, rule, createdBy }, clock.now());
        return { data: (await listToolRules(db, caller.teamId, undefined)).map(toReply) };
      },
    }),
    defineRoute({
      ...common,
      name: "deleteToolRule",
      method: "DELETE",
      path: "/quarry/v1/tool-rules/:id",
      summary: "Forget a rule: like calls are asked about again",
      params: z.object({ id: z.string().min(1) }),
      response: z.object({ success: z.literal(true) }),
      handle: async ({ params }, { caller }) => {
        if (!(await deleteToolRule(db, caller.teamId, params.id))) {
          throw new AppError("not_found", "there is no rule with this id");
        }
        return { success: true as const };
      },
    }),
  ];
}

function toReply({ id, sessionId, rule, createdBy, createdAt }: SavedRule): z.input<typeof ruleSchema> {
  return {
    id,
    sessionId,
    match: rule as Record<string, unknown>, // written by an answer or by this route: an object
    createdBy,
    createdAt: createdAt.toISOString(),
  };
}
