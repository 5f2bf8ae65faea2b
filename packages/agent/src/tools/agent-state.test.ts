import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@bufbuild/protobuf";
import { getToolSession, listApprovals, listBugfixReports, listKnowledge, takeSessionMessages } from "@quarry/store";
import { ClientSideToolV2 } from "@quarry/contract";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { agentWorlds } from "../testing-agent-state.ts";
import { toApprovalMessage, toClientResult } from "../to-messages.ts";
import { textOf } from "./workspace-tool.ts";

const withAgentWorld = agentWorlds(withDatabase);

const todo = (id: string, status = "pending", dependencies: readonly string[] = []): JsonObject => ({
  id,
  content: `do ${id}`,
  status,
  dependencies: [...dependencies],
});

describe("todos", () => {
  verifies(
    [
      "tools:todo-read:params:read",
      "tools:todo-read:result:todos",
      "tools:todo-write:params:todos",
      "tools:todo-write:params:merge",
      "tools:todo-write:params:todos-content",
      "tools:todo-write:params:todos-status",
      "tools:todo-write:params:todos-id",
      "tools:todo-write:params:todos-dependencies",
      "tools:todo-write:result:success",
      "tools:todo-write:result:ready-task-ids",
      "tools:todo-write:result:needs-in-progress-todos",
      "tools:todo-write:result:final-todos",
      "tools:todo-write:result:initial-todos",
      "tools:todo-write:result:was-merge",
      "tools:attachments:todos:original-todos",
      "tools:attachments:todos:updated-todos",
    ],
    "are written whole or merged, read back, and told beside the result",
    () =>
      withAgentWorld({}, async ({ runtime, newSession, call, result }) => {
        const session = await newSession();
        expect(await result(session, "todo_read", { read: true })).toEqual({ todos: [] });
        const whole = [todo("a"), todo("b", "pending", ["a"])];
        expect(await result(session, "todo_write", { todos: whole })).toEqual({
          success: true,
          readyTaskIds: ["a"],
          needsInProgressTodos: true,
          finalTodos: whole,
          initialTodos: [],
          wasMerge: false,
        });
        const merge = {
          merge: true,
          todos: [
            { id: "a", status: "completed" },
            { id: "c", content: "do c", status: "in_progress" },
          ],
        };
        const merged = await call(session, "todo_write", merge);
        const after = [todo("a", "completed"), todo("b", "pending", ["a"]), todo("c", "in_progress")];
        expect(merged.outcome).toMatchObject({
          result: {
            readyTaskIds: ["b"],
            needsInProgressTodos: false,
            finalTodos: after,
            initialTodos: whole,
            wasMerge: true,
          },
        });
        expect(toClientResult(runtime.deps.registry, merged, { toolCallId: "x" }).attachments).toMatchObject({
          originalTodos: whole,
          updatedTodos: after,
        });
        expect(await result(session, "todo_read", {})).toEqual({ todos: after });
        for (const todos of [
          [todo("x"), todo("x")],
          [todo("x", "pending", ["y"])],
          [todo("x", "pending", ["z"]), todo("z", "pending", ["x"])],
        ]) {
          const refused = await call(session, "todo_write", { todos });
          expect(refused.outcome).toMatchObject({ kind: "failed", error: { client: "todo_write failed" } });
        }
        expect((await call(session, "todo_write", { todos: [{ ...todo("x"), status: "maybe" }] })).outcome.kind).toBe(
          "failed",
        );
        expect(await result(session, "todo_write", { todos: [] })).toMatchObject({
          finalTodos: [],
          initialTodos: after,
        });
      }),
    60_000,
  );
});

describe("attachments", () => {
  verifies(
    [
      "tools:attachments:nudges:after-three-failures",
      "tools:attachments:reminder:should-show",
      "tools:attachments:reminder:after-edit",
      "tools:attachments:reminder:every-10-turns",
      "tools:attachments:budget:discovery-rounds",
    ],
    "remind of todos, tell of a call that fails again and again, and count the rounds of looking",
    () =>
      withAgentWorld({}, async ({ runtime, newSession, call, restart }) => {
        const session = await newSession();
        const told = async (tool: string, args: JsonObject): Promise<JsonObject | undefined> =>
          (await call(session, tool, args)).outcome.attachments;
        const wrong = { targetFile: "missing.txt" };
        expect([await told("read_file_v2", wrong), await told("read_file_v2", wrong)]).toEqual([undefined, undefined]);
        const third = await call(session, "read_file_v2", wrong);
        const shown = toClientResult(runtime.deps.registry, third, { toolCallId: "x" });
        expect(shown.attachments?.nudgeMessages).toMatchObject([
          { rawMessage: expect.stringContaining("failed 3 times with the same arguments") as unknown },
        ]);
        // Calls that nobody could even look at count, too.
        const bad = { targetFile: 7 };
        await told("read_file_v2", bad);
        await told("read_file_v2", bad);
        expect(await told("read_file_v2", bad)).toMatchObject({ nudgeMessages: [{}] });

        const reads: (JsonObject | undefined)[] = [];
        for (let index = 0; index < 12; index += 1) reads.push(await told("read_file_v2", { targetFile: "a.txt" }));
        // Six turns went before.
        expect(reads[3]).toMatchObject({
          shouldShowTodoWriteReminder: true,
          todoReminderType: "TODO_REMINDER_TYPE_EVERY_10_TURNS",
        });
        expect(reads.at(-1)).toEqual({
          discoveryBudgetReminder: { discoveryRoundsRemaining: 2, discoveryEffort: "high" },
        });

        await told("todo_write", { todos: [todo("a")] });
        // Another process, which knows the session by its rows alone.
        const again = await restart();
        const fresh = await getToolSession(again.deps.db, "team", session.id);
        const live = again.call({
          caller: { teamId: "team", name: "an agent" },
          session: fresh,
          toolCallId: "edit",
          given: {
            clientTool: ClientSideToolV2.UNSPECIFIED,
            name: "edit_file_v2",
            params: undefined,
            rawArgs: '{"relativeWorkspacePath":"b.txt","contentsAfterEdit":"b"}',
          },
          isInternal: false,
          timeoutMs: undefined,
        });
        const { data } = await pendingOf(again.deps.db, session.id);
        await again.answer({
          teamId: "team",
          approvalId: data[0]?.id ?? "",
          decision: "once",
          reason: "",
          answeredBy: "me",
        });
        expect((await live.ended).outcome.attachments).toEqual({
          shouldShowTodoWriteReminder: true,
          todoReminderType: "TODO_REMINDER_TYPE_AFTER_EDIT",
        });
      }),
    60_000,
  );
});

describe("plans", () => {
  verifies(
    [
      "tools:create-plan:params:plan",
      "tools:create-plan:params:title",
      "tools:create-plan:params:summary",
      "tools:create-plan:params:steps",
      "tools:create-plan:params:old-str",
      "tools:create-plan:params:new-str",
      "tools:create-plan:params:name",
      "tools:create-plan:params:todos",
      "tools:create-plan:params:overview",
      "tools:create-plan:params:is-spec",
      "tools:create-plan:params:is-project",
      "tools:create-plan:params:phases",
      "tools:create-plan:result:accepted",
      "tools:create-plan:result:rejected",
      "tools:create-plan:result:modified",
      "tools:create-plan:result:plan-uri",
      "tools:read-project:result:plan",
      "tools:update-project:params:string-replacements",
      "tools:update-project:params:summary",
      "tools:update-project:result:success",
      "tools:update-project:result:updated-plan",
    ],
    "are accepted, refused or changed by a person, read back and patched, all or nothing",
    () =>
      withAgentWorld({}, async ({ runtime, newSession, call, result, approvalOf }) => {
        const session = await newSession("plan"); // a mode that changes nothing must still be able to plan
        expect((await call(session, "read_project", {})).outcome).toMatchObject({ kind: "failed" });
        const args = {
          name: "Shop search",
          title: "Search for the shop",
          summary: "In three days.",
          overview: "Words first.",
          plan: "Build the index.",
          steps: [
            { id: "s1", title: "Index", description: "All products.", instructions: "Nightly." },
            { id: "s2", title: "Query", prerequisites: ["s1"], subComposerId: "agent 7" },
          ],
          todos: [todo("t1")],
          phases: [{ name: "Later", todos: [todo("t2", "pending", ["t1"])] }],
          isSpec: true,
          isProject: true,
        };
        const made = await result(session, "create_plan", args, { toolCallId: "plan", answer: { decision: "once" } });
        const { planUri } = made;
        expect(made).toEqual({ planUri, accepted: { finalTodos: [todo("t1"), todo("t2", "pending", ["t1"])] } });
        const { plan } = await result(session, "read_project", {});
        expect(readFileSync(fileURLToPath(planUri as string), "utf8")).toBe(plan);
        expect(planUri as string).toMatch(/\/shop-search-[0-9a-f]{8}\.plan\.md$/);
        expect(plan).toBe(
          [
            "---",
            'name: "Shop search"',
            'title: "Search for the shop"',
            'overview: "Words first."',
            "isSpec: true",
            "isProject: true",
            "todos:",
            '  - {"id":"t1","content":"do t1","status":"pending","dependencies":[]}',
            '  - {"id":"t2","content":"do t2","status":"pending","dependencies":["t1"]}',
            "---",
            "",
            "# Search for the shop",
            "",
            "In three days.",
            "",
            "Build the index.",
            "",
            "## Steps",
            "",
            "1. **Index**",
            "   All products.",
            "   Nightly.",
            "2. **Query** (after s1)",
            "   Done by agent 7.",
            "",
            "## Phases",
            "",
            "### Later",
            "",
            "- [ ] do t2",
            "",
          ].join("\n"),
        );
        const asked = await approvalOf(session.id, "plan");
        expect(toApprovalMessage(runtime.deps.registry, asked).query).toMatchObject({
          case: "interactionQuery",
          value: {
            query: { case: "createPlanRequestQuery", value: { toolCallId: "plan", args: { name: "Shop search" } } },
          },
        });

        const refused = await call(
          session,
          "create_plan",
          { plan: "Other." },
          { answer: { decision: "reject", reason: "no" } },
        );
        expect(toClientResult(runtime.deps.registry, refused, { toolCallId: "x" }).result).toMatchObject({
          case: "createPlanResult",
          value: { result: { case: "rejected" } },
        });
        const changed = await result(
          session,
          "create_plan",
          { plan: "Mine.", name: "other" },
          { answer: { decision: "once", args: { plan: "Yours.", name: "other" } } },
        );
        expect(changed["modified"]).toMatchObject({
          newPlan: expect.stringContaining("Yours.") as unknown,
          finalTodos: [],
        });

        const patched = { name: "Shop search", oldStr: "Build the index.", newStr: "Build two indexes." };
        await result(session, "create_plan", patched, { answer: { decision: "once" } });
        expect((await result(session, "read_project", {}))["plan"]).toContain("Build two indexes.");

        const replacements = [
          { oldString: "All products.", newString: "All of them." },
          { oldString: "Nightly.", newString: "Hourly." },
        ];
        const summary = "More often";
        const noted = await call(session, "update_project", { stringReplacements: replacements, summary });
        expect(noted.outcome).toMatchObject({
          result: { success: true, updatedPlan: expect.stringMatching(/All of them\.\n {3}Hourly\./) as unknown },
        });
        const tool = runtime.deps.registry.byName("update_project");
        const facts = await tool?.inspect({ stringReplacements: replacements, summary }, contextOf(session.id));
        expect(facts).toMatchObject({
          notes: [summary],
          diff: expect.stringContaining("-Nightly.\n+Hourly.") as unknown,
        });
        const half = [
          { oldString: "Hourly.", newString: "x" },
          { oldString: "not there", newString: "y" },
        ];
        expect((await call(session, "update_project", { stringReplacements: half })).outcome).toMatchObject({
          kind: "failed",
          error: { model: expect.stringContaining("does not hold") as unknown },
        });
        const twice = [{ oldString: "do t2", newString: "y" }];
        expect((await call(session, "update_project", { stringReplacements: twice })).outcome).toMatchObject({
          error: { model: expect.stringContaining("more than once") as unknown },
        });
        expect((await result(session, "read_project", {}))["plan"]).toContain("Hourly.");
      }),
    60_000,
  );
});

describe("switch_mode", () => {
  verifies(
    [
      "tools:switch-mode:params:from-mode-id",
      "tools:switch-mode:params:to-mode-id",
      "tools:switch-mode:params:explanation",
      "tools:switch-mode:result:from-mode-id",
      "tools:switch-mode:result:to-mode-id",
      "tools:switch-mode:result:auto-approved",
      "tools:switch-mode:result:user-approved",
      "tools:switch-mode:behaviour:enforced",
    ],
    "asks first, changes the mode, and no rule lets a writer run in it",
    () =>
      withAgentWorld({}, async ({ db, root, workspace, runtime, newSession, call, result, approvalOf }) => {
        const hasSandbox = (await workspace.terminals.sandbox()).kind !== "none";
        const session = await newSession();
        const write = { relativeWorkspacePath: "b.txt", contentsAfterEdit: "b" };
        // "session" saves a rule that allows the write from now on.
        await result(session, "edit_file_v2", write, { answer: { decision: "session" } });
        const toPlan = { fromModeId: "agent", toModeId: "plan", explanation: "to think first" };
        const switched = await result(session, "switch_mode", toPlan, {
          toolCallId: "m1",
          answer: { decision: "once" },
        });
        expect(switched).toEqual({ fromModeId: "agent", toModeId: "plan", autoApproved: false, userApproved: true });
        const asked = await approvalOf(session.id, "m1");
        expect(asked.question).toMatchObject({
          reasons: ["it switches the session from agent to plan", "to think first"],
        });
        expect(toApprovalMessage(runtime.deps.registry, asked).query).toMatchObject({
          value: {
            query: { case: "switchModeRequestQuery", value: { args: { targetModeId: "plan", toolCallId: "m1" } } },
          },
        });
        expect((await getToolSession(db, "team", session.id)).mode).toBe("plan");
        const refused = await call(session, "edit_file_v2", { ...write, contentsAfterEdit: "c" });
        expect(refused.outcome).toMatchObject({
          kind: "failed",
          error: { client: expect.stringContaining("plan mode") as unknown },
        });
        expect((await call(session, "delete_file", { relativeWorkspacePath: "a.txt" })).outcome.kind).toBe("failed");
        expect((await call(session, "read_file_v2", { targetFile: "a.txt" })).outcome.kind).toBe("succeeded");
        // The terminal looks, and changes nothing; on a machine without a sandbox it does not run at all.
        const command = { command: "cat a.txt; touch made.txt" };
        const tried = await call(
          session,
          "run_terminal_command_v2",
          command,
          hasSandbox ? { answer: { decision: "once" } } : {},
        );
        expect(tried.outcome).toMatchObject(
          hasSandbox
            ? { result: { output: expect.stringMatching(/^a\n[^]*made\.txt/) as unknown, exitCode: 1 } }
            : { error: { model: expect.stringContaining("no sandbox") as unknown } },
        );
        expect(existsSync(`${root}/made.txt`)).toBe(false);

        const wrong = await call(
          session,
          "switch_mode",
          { fromModeId: "agent", toModeId: "ask" },
          { answer: { decision: "always" } },
        );
        expect(wrong.outcome).toMatchObject({
          error: { model: expect.stringContaining("is in plan mode, not in agent") as unknown },
        });
        // Now a rule allows it: nobody is asked.
        expect(await result(session, "switch_mode", { toModeId: "chat" })).toEqual({
          fromModeId: "plan",
          toModeId: "ask",
          autoApproved: true,
          userApproved: false,
        });
        expect((await call(session, "switch_mode", { toModeId: "yolo" })).outcome).toMatchObject({
          error: { model: expect.stringContaining("there are agent, plan and ask") as unknown },
        });
      }),
    60_000,
  );
});

describe("ask_question", () => {
  const questions = [
    {
      id: "q1",
      prompt: "Which database?",
      options: [
        { id: "pg", label: "PostgreSQL" },
        { id: "my", label: "MySQL" },
      ],
    },
    {
      id: "q2",
      prompt: "Which days?",
      allowMultiple: true,
      options: [
        { id: "mo", label: "Monday" },
        { id: "tu", label: "Tuesday" },
      ],
    },
  ];

  verifies(
    [
      "tools:ask-question:params:title",
      "tools:ask-question:params:questions",
      "tools:ask-question:params:questions-allow-multiple",
      "tools:ask-question:result:answers",
      "tools:ask-question:result:answers-freeform-text",
    ],
    "puts questions where approvals are, and takes options and words for an answer",
    () =>
      withAgentWorld({}, async ({ runtime, newSession, call, result, approvalOf }) => {
        const session = await newSession();
        const args = { title: "Before I begin", questions };
        const chosen = [
          { questionId: "q1", selectedOptionIds: ["pg"], freeformText: "version 17" },
          { questionId: "q2", selectedOptionIds: ["mo", "tu"] },
        ];
        const answers = await result(session, "ask_question", args, {
          toolCallId: "ask",
          answer: { decision: "once", args: { answers: chosen } },
        });
        expect(answers).toEqual({ answers: chosen });
        const asked = await approvalOf(session.id, "ask");
        expect(asked.question).toMatchObject({ reasons: ["Before I begin"], canSave: false });
        expect(toApprovalMessage(runtime.deps.registry, asked).query).toMatchObject({
          value: {
            query: {
              case: "askQuestionInteractionQuery",
              value: { toolCallId: "ask", args: { questions: [{ id: "q1" }, {}] } },
            },
          },
        });
        const live = call(session, "ask_question", args, { toolCallId: "again" });
        const { id: approvalId } = await approvalOf(session.id, "again");
        const yes = { teamId: "team", approvalId, decision: "once" as const, reason: "", answeredBy: "me" };
        for (const [wrong, message] of [
          [undefined, /choose options/],
          [[{ questionId: "q1", selectedOptionIds: ["pg", "my"] }], /q1 takes one option/],
          [[{ questionId: "q1", selectedOptionIds: ["ms"] }], /q1 has no option ms; it has pg, my/],
          [[{ questionId: "q9", selectedOptionIds: ["pg"] }], /no question q9; there are q1, q2/],
          [[{ questionId: "q1" }], /needs an option or freeformText/],
        ] as const) {
          const given = wrong === undefined ? {} : { args: { answers: wrong as unknown as JsonObject[] } };
          await expect(runtime.answer({ ...yes, ...given })).rejects.toThrow(message);
        }
        await runtime.answer({ ...yes, reason: "whatever you like" });
        expect((await live).outcome).toMatchObject({
          result: { answers: [{ questionId: "q1", selectedOptionIds: [], freeformText: "whatever you like" }] },
        });
        const five = { questions: [1, 2, 3, 4, 5].map((id) => ({ ...questions[0], id: `q${id}` })) };
        expect((await call(session, "ask_question", five)).outcome.kind).toBe("failed");
        expect((await call(session, "ask_question", { questions: [] })).outcome.kind).toBe("failed");
      }),
    60_000,
  );

  verifies(
    ["tools:ask-question:params:run-async", "tools:ask-question:result:is-async"],
    "does not wait when asked so, and tells the answers as a message later, also after a restart",
    () =>
      withAgentWorld({}, async ({ db, newSession, result, restart }) => {
        const session = await newSession();
        expect(await result(session, "ask_question", { questions, runAsync: true }, { toolCallId: "ask" })).toEqual({
          isAsync: true,
        });
        const { data } = await pendingOf(db, session.id);
        expect(data).toMatchObject([{ tool: "ask_question", toolCallId: "answers-of:ask" }]);
        const again = await restart();
        const answers = [{ questionId: "q2", selectedOptionIds: ["mo", "tu"] }];
        await again.answer({
          teamId: "team",
          approvalId: data[0]?.id ?? "",
          decision: "once",
          reason: "",
          answeredBy: "me",
          args: { answers },
        });
        expect(await takeSessionMessages(db, session.id, new Date())).toEqual([
          "The person answered your questions.\nWhich days? Monday; Tuesday",
        ]);
      }),
    60_000,
  );

  verifies("tools:ask-question:behaviour:headless", "says to choose a default when nobody is there", () =>
    withAgentWorld({ headless: "approve" }, async ({ db, newSession, call }) => {
      const session = await newSession();
      for (const runAsync of [false, true]) {
        const ended = await call(session, "ask_question", { questions, runAsync });
        expect(ended.outcome).toMatchObject({
          kind: "failed",
          error: {
            client: "ask_question: there is no one to answer",
            model: expect.stringContaining("Choose a sensible default yourself") as unknown,
          },
        });
      }
      expect((await pendingOf(db, session.id)).data).toEqual([]);
    }),
  );
});

describe("what is kept", () => {
  verifies(
    [
      "tools:knowledge-base:params:knowledge-to-store",
      "tools:knowledge-base:params:title",
      "tools:knowledge-base:params:existing-knowledge-id",
      "tools:knowledge-base:params:action",
      "tools:knowledge-base:result:success",
      "tools:knowledge-base:result:confirmation-message",
      "tools:knowledge-base:result:id",
    ],
    "knowledge is made, changed and forgotten, once a person agrees",
    () =>
      withAgentWorld({}, async ({ db, runtime, newSession, call, result }) => {
        const session = await newSession();
        const answer = { decision: "once" as const };
        const made = await result(session, "knowledge_base", { title: "Style", knowledgeToStore: "Tabs." }, { answer });
        expect(made).toEqual({ success: true, confirmationMessage: 'Kept "Style".', id: made["id"] });
        const existingKnowledgeId = textOf(made, "id");
        const change = { action: "update", existingKnowledgeId, knowledgeToStore: "Spaces." };
        expect(await result(session, "knowledge_base", change, { answer })).toMatchObject({
          confirmationMessage: 'Changed "Style".',
        });
        expect(await listKnowledge(db, "team", 10)).toMatchObject([
          { id: existingKnowledgeId, title: "Style", text: "Spaces." },
        ]);
        const drop = { action: "delete", existingKnowledgeId };
        expect(await result(session, "knowledge_base", drop, { answer })).toMatchObject({
          success: true,
          confirmationMessage: 'Forgot "Style".',
        });
        expect(await listKnowledge(db, "team", 10)).toEqual([]);
        expect((await call(session, "knowledge_base", drop, { answer })).outcome).toMatchObject({ kind: "failed" });
        for (const wrong of [
          { action: "update", knowledgeToStore: "x" },
          { title: "x" },
          { knowledgeToStore: "x" },
          { action: "burn" },
        ]) {
          expect((await call(session, "knowledge_base", wrong)).outcome.kind).toBe("failed");
        }
        const no = await call(
          session,
          "knowledge_base",
          { title: "T", knowledgeToStore: "x" },
          { answer: { decision: "reject" } },
        );
        expect(toClientResult(runtime.deps.registry, no, { toolCallId: "x" }).result).toMatchObject({
          value: { success: false },
        });
      }),
    60_000,
  );

  verifies(
    [
      "tools:report-bugfix-results:params:summary",
      "tools:report-bugfix-results:params:results",
      "tools:report-bugfix-results:result:success",
      "tools:report-bugfix-results:result:error",
    ],
    "a report of bug fixes is checked and stored",
    () =>
      withAgentWorld({}, async ({ db, newSession, result }) => {
        const session = await newSession();
        const item = {
          bugId: "b1",
          bugTitle: "Crash",
          verdict: "BUGFIX_VERDICT_FIXED",
          explanation: "A check was missing.",
        };
        const report = { summary: "One bug.", results: [item] };
        expect(await result(session, "report_bugfix_results", report)).toEqual({ success: { results: [item] } });
        const key = { teamId: "team", sessionId: session.id };
        expect(await listBugfixReports(db, key)).toMatchObject([{ summary: "One bug.", results: [item] }]);
        for (const [wrong, message] of [
          [{ ...report, summary: "" }, /^summary: sum the work up/],
          [{ summary: "s", results: [] }, /at least one bug/],
          [{ summary: "s", results: [item, item] }, /results\.1\.bugId: b1 was reported above/],
          [{ summary: "s", results: [{ ...item, verdict: "BUGFIX_VERDICT_UNSPECIFIED" }] }, /results\.0\.verdict/],
          [{ summary: "s", results: [{ ...item, explanation: " " }] }, /results\.0\.explanation/],
        ] as const) {
          const { error } = (await result(session, "report_bugfix_results", wrong as unknown as JsonObject)) as {
            error?: { error: string };
          };
          expect(error?.error).toMatch(message);
        }
        expect(await listBugfixReports(db, key)).toHaveLength(1);
      }),
    60_000,
  );
});

describe("plan files", () => {
  it("lie where people can open them and nowhere in the workspace", () =>
    withAgentWorld({}, async ({ root, newSession, result }) => {
      const session = await newSession();
      const { planUri } = await result(session, "create_plan", { plan: "p" }, { answer: { decision: "once" } });
      expect(existsSync(fileURLToPath(planUri as string))).toBe(true);
      expect(fileURLToPath(planUri as string).startsWith(root)).toBe(false);
    }));
});

function pendingOf(db: Parameters<typeof listApprovals>[0], sessionId: string): ReturnType<typeof listApprovals> {
  return untilSome(() => listApprovals(db, { teamId: "team", sessionId, states: ["pending"], limit: 10 }));
}

async function untilSome(look: () => ReturnType<typeof listApprovals>): ReturnType<typeof listApprovals> {
  for (let tries = 0; ; tries += 1) {
    const page = await look();
    if (page.data.length > 0 || tries === 20) return page;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function contextOf(id: string) {
  return {
    teamId: "team",
    session: { id, workspaceRoot: "", mode: "agent" as const },
    toolCallId: "call",
    signal: new AbortController().signal,
    earlierResults: () => Promise.resolve([]),
  };
}
