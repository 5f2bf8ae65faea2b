import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { createOpenAiLlm } from "@quarry/models";
import { startTestModelServer, type SeenModelRequest } from "@quarry/models/testing";
import { findAgentTask, listApprovals, type Approval, type ToolSession } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { agentWorlds, readWorldFile, type AgentWorld, type WorldOptions } from "../testing-agent-state.ts";
import { toClientResult } from "../to-messages.ts";
import type { CallOutcome } from "../tool.ts";
import { textOf } from "../tools/workspace-tool.ts";

const withAgentWorld = agentWorlds(withDatabase);

/** One reply of the scripted model: words, or calls of tools. */
type Turn = string | readonly (readonly [tool: string, args: JsonObject])[] | { readonly odd: "fail" | "hang" };

/** What a script says, given what the model was asked. */
type Script = (request: SeenModelRequest, turn: number) => Turn;

const edit = (name: string, text = "x"): readonly [string, JsonObject] => [
  "edit_file_v2",
  { relativeWorkspacePath: name, contentsAfterEdit: text },
];

describe("sub-agents", () => {
  verifies(
    [
      "tools:task:params:task-description",
      "tools:task:params:task-title",
      "tools:task:params:allowed-write-directories",
      "tools:task:params:model-override",
      "tools:task:params:max-mode-override",
      "tools:task:params:default-expanded-while-running",
      "tools:task:result:completed-summary",
      "tools:task:result:completed-file-results",
      "tools:task:behaviour:same-gate",
      "tools:task:behaviour:depth-one",
    ],
    "do a task through the same gate, write where they may, start no other, and sum up",
    () =>
      withModel(
        (_, turn) =>
          turn === 1
            ? [
                edit("src/new.txt", "made\n"),
                edit("elsewhere.txt"),
                edit("src-not/a.txt"),
                ["task", { taskDescription: "more of me" }],
                ["todo_write", { todos: [] }],
                ["read_file_v2", { targetFile: "a.txt" }],
              ]
            : "Wrote src/new.txt; the rest was refused.",
        async ({ db, newSession, call, root }, seen) => {
          const session = await newSession();
          const args = {
            taskDescription: "Write a new file.",
            taskTitle: "New file",
            allowedWriteDirectories: ["src"],
            modelOverride: "large",
            maxModeOverride: true,
            defaultExpandedWhileRunning: true,
          };
          const running = call(session, "task", args, { toolCallId: "t1" });
          const [asked] = await askedOf(db, session);
          // Its questions stand with its agent's, under its name.
          expect(asked).toMatchObject({ tool: "edit_file_v2", args: { relativeWorkspacePath: "src/new.txt" } });
          expect((asked?.question as { reasons: string[] }).reasons).toContain("asked by the sub-agent New file");
          await answer(asked, "once");
          const { outcome } = await running;
          expect(outcome).toMatchObject({
            result: {
              completedTaskResult: {
                summary: "Wrote src/new.txt; the rest was refused.",
                userAborted: false,
                subagentErrored: false,
                fileResults: [
                  {
                    filePath: "src/new.txt",
                    isApplied: true,
                    diff: { chunks: [{ diffString: "+made", linesAdded: 1 }] },
                  },
                ],
              },
            },
          });
          expect(readWorldFile({ root }, "src/new.txt")).toBe("made\n");
          expect([existsSync(path.join(root, "elsewhere.txt")), existsSync(path.join(root, "src-not"))]).toEqual([
            false,
            false,
          ]);
          const told = (seen[1]?.body["messages"] as { role: string; content: string }[]).filter(
            ({ role }) => role === "tool",
          );
          expect(told.map(({ content }) => content)).toEqual([
            expect.stringContaining("wrote src/new.txt"),
            expect.stringContaining("may write below src alone, and elsewhere.txt is elsewhere"),
            expect.stringContaining("src-not/a.txt is elsewhere"),
            expect.stringContaining("a sub-agent does its task alone"),
            expect.stringContaining("a sub-agent does its task alone"),
            expect.stringContaining('"contents":"a'),
          ]);
          expect(seen[0]?.body).toMatchObject({
            model: "large",
            messages: [{ role: "system" }, { role: "user", content: "Write a new file." }],
          });
          const offered = (seen[0]?.body["tools"] as { function: { name: string } }[]).map(
            (tool) => tool.function.name,
          );
          expect(offered).toContain("edit_file_v2");
          expect(offered).not.toContain("task");
          const rows = await db.query("SELECT request, title FROM agent_tasks");
          expect(rows).toMatchObject([
            { title: "New file", request: { isMax: true, isExpanded: true, model: "large" } },
          ]);
        },
      ),
    60_000,
  );

  verifies(
    [
      "tools:task:params:async",
      "tools:task:result:async-task-id",
      "tools:task:result:completed-user-aborted",
      "tools:task:result:completed-subagent-errored",
      "tools:await-task:params:ids",
      "tools:await-task:result:task-results",
      "tools:await-task:result:missing-task-ids",
    ],
    "work in the background and are awaited, however they end",
    () =>
      withModel(
        ({ body }, turn) => {
          const [, asked] = body["messages"] as { content: string }[];
          if (asked?.content === "fail") return { odd: "fail" };
          if (asked?.content === "write") return turn < 100 ? [edit("b.txt")] : "no";
          return "All is well.";
        },
        async ({ db, newSession, call, result, runtime }) => {
          const session = await newSession();
          const told: string[] = [];
          const hear = (outcome: CallOutcome): void => {
            const nudges = (outcome.attachments?.["nudgeMessages"] ?? []) as { rawMessage: string }[];
            told.push(...nudges.map(({ rawMessage }) => rawMessage));
          };
          const begin = async (taskDescription: string): Promise<string> => {
            const { outcome } = await call(session, "task", { taskDescription, async: true });
            hear(outcome);
            if (outcome.kind !== "succeeded") throw new Error("it did not begin");
            const { taskId, subagentErrored } = outcome.result["asyncTaskResult"] as JsonObject;
            expect(subagentErrored).toBe(false);
            return taskId as string;
          };
          const ids = [await begin("look"), await begin("fail"), await begin("write")];
          const [asked] = await askedOf(db, session);
          await answer(asked, "abort");
          const { outcome } = await call(session, "await_task", { ids: [...ids, "task_unknown"] });
          expect(outcome).toMatchObject({
            result: {
              missingTaskIds: ["task_unknown"],
              taskResults: [
                { taskId: ids[0], result: { summary: "All is well.", userAborted: false, subagentErrored: false } },
                {
                  taskId: ids[1],
                  result: {
                    subagentErrored: true,
                    summary: expect.stringMatching(/^The sub-agent failed: /) as unknown,
                  },
                },
                {
                  taskId: ids[2],
                  result: { userAborted: true, summary: expect.stringContaining("A person stopped") as unknown },
                },
              ],
            },
          });
          // Their ends are told beside results, each once.
          hear(outcome);
          hear((await call(session, "todo_read", {})).outcome);
          expect(told.toSorted()).toEqual([
            `The sub-agent of "fail" failed; await_task with the id ${ids[1] ?? ""} gives its result.`,
            `The sub-agent of "look" is done; await_task with the id ${ids[0] ?? ""} gives its result.`,
            `The sub-agent of "write" was stopped by a person; await_task with the id ${ids[2] ?? ""} gives its result.`,
          ]);
          const none = await call(session, "await_task", {});
          expect(none.outcome).toMatchObject({
            kind: "failed",
            error: {
              client: "await_task: no task was named",
              model: expect.stringContaining("Give the ids") as unknown,
            },
          });
          // Another session knows nothing of them.
          expect(await result(await newSession(), "await_task", { ids })).toMatchObject({ missingTaskIds: ids });
          toClientResult(runtime.deps.registry, { ...none, outcome }, { toolCallId: "x" });
        },
      ),
    60_000,
  );

  verifies(
    [
      "tools:task:result:async-user-aborted",
      "tools:task:result:async-subagent-errored",
      "tools:task:behaviour:no-model",
    ],
    "say when they could not begin: stopped by a person, no room, or nothing to think with",
    async () => {
      const hooks = hookFile(`echo '{"permission":"ask"}'`);
      await withModel(
        () => ({ odd: "hang" }),
        async ({ newSession, call, result, runtime, db }) => {
          const session = await newSession();
          const wish = { taskDescription: "anything", async: true };
          const refused = await call(session, "task", wish, { answer: { decision: "reject", reason: "not now" } });
          expect(toClientResult(runtime.deps.registry, refused, { toolCallId: "x" }).result).toMatchObject({
            case: "taskResult",
            value: { result: { case: "asyncTaskResult", value: { userAborted: true, taskId: "" } } },
          });
          const began: JsonObject[] = [];
          for (let index = 0; index < 9; index += 1)
            began.push(await result(session, "task", wish, { answer: { decision: "once" } }));
          expect(began.map(({ asyncTaskResult }) => (asyncTaskResult as JsonObject)["subagentErrored"])).toEqual([
            ...Array.from({ length: 8 }, () => false),
            true,
          ]);
          const { taskId } = began[8]?.["asyncTaskResult"] as { taskId: string };
          expect(await findAgentTask(db, session.id, taskId)).toMatchObject({
            state: "errored",
            summary: expect.stringContaining("8 sub-agents work already") as unknown,
          });
        },
        { hookFiles: [hooks.file] },
      );
      hooks.remove();
      await withAgentWorld({}, async ({ newSession, call }) => {
        const { outcome } = await call(await newSession(), "task", { taskDescription: "anything" });
        expect(outcome).toMatchObject({
          kind: "failed",
          error: {
            client: expect.stringContaining("set QUARRY_LLM_URL") as unknown,
            model: expect.stringContaining(
              "the task was not begun. Do it yourself, or ask the person to set QUARRY_LLM_URL",
            ) as unknown,
          },
        });
      });
    },
    60_000,
  );

  verifies(
    [
      "tools:task-v2:params:description",
      "tools:task-v2:params:prompt",
      "tools:task-v2:params:subagent-type",
      "tools:task-v2:params:model",
      "tools:task-v2:params:name",
      "tools:task-v2:params:mode",
      "tools:task-v2:result:agent-id",
      "tools:task-v2:result:is-background",
      "tools:background-composer-followup:params:proposed-followup",
      "tools:background-composer-followup:params:bc-id",
      "tools:background-composer-followup:result:proposed-followup",
      "tools:background-composer-followup:result:is-sent",
    ],
    "are of a kind and a mode, go on in the background, and read what they are told before they end",
    () =>
      withModel(
        ({ body }) => {
          const messages = body["messages"] as { role: string; content: string }[];
          if (messages[1]?.content === "quick") return "Quick.";
          if (messages.at(-1)?.role !== "tool" && messages.length === 2) return [edit("b.txt")];
          const last = messages.findLast(({ role }) => role === "user")?.content ?? "";
          return `Heard: ${last}`;
        },
        async ({ newSession, call, result, db }, seen) => {
          const session = await newSession();
          const quick = await result(session, "task_v2", {
            prompt: "quick",
            subagentType: "explore",
            model: "small",
            name: "scout",
            description: "look",
          });
          expect(quick).toEqual({ agentId: quick["agentId"], isBackground: false });
          expect(seen[0]?.body).toMatchObject({
            model: "small",
            messages: [
              {
                content: expect.stringMatching(
                  /You are scout, a sub-agent of the kind explore\. Your task: look/,
                ) as unknown,
              },
              {},
            ],
          });
          const offered = (seen[0]?.body["tools"] as { function: { name: string } }[]).map(
            (tool) => tool.function.name,
          );
          expect([offered.includes("read_file_v2"), offered.includes("edit_file_v2")]).toEqual([true, false]);
          // As TaskArgs.resume of agent.v1 travels.
          const resume = (id: string): JsonObject => ({ prompt: `[resume ${id}]\nand then?`, subagentType: "explore" });
          await result(session, "task_v2", resume(textOf(quick, "agentId")));
          const told = (seen[1]?.body["messages"] as { content: string }[])[1]?.content;
          expect(told).toMatch(/You were asked: quick\n\nYou ended with: Quick\.\n\nNow: and then\?$/);
          const unknown = await call(session, "task_v2", resume("task_none"));
          expect(unknown.outcome).toMatchObject({
            error: { model: expect.stringContaining("no sub-agent task_none") as unknown },
          });
          const planned = await result(session, "task_v2", { prompt: "write", mode: "TASK_MODE_PLAN" });
          const { taskResults } = await result(session, "await_task", { ids: [textOf(planned, "agentId")] });
          expect(taskResults).toMatchObject([{ result: { summary: "Heard: write" } }]);

          const slow = await result(session, "task_v2", { prompt: "write", description: "slow one" });
          expect(slow["isBackground"]).toBe(true);
          const bcId = textOf(slow, "agentId");
          const said = await result(
            session,
            "background_composer_followup",
            { bcId, proposedFollowup: "do this too" },
            { answer: { decision: "once", args: { bcId, proposedFollowup: "do that too" } } },
          );
          expect(said).toEqual({ proposedFollowup: "do that too", isSent: true });
          const [asked] = await askedOf(db, session);
          await answer(asked, "reject");
          expect(await result(session, "await_task", { ids: [bcId] })).toMatchObject({
            taskResults: [{ result: { summary: "Heard: do that too" } }],
          });
          const late = { bcId, proposedFollowup: "and this" };
          expect(await result(session, "background_composer_followup", late, { answer: { decision: "once" } })).toEqual(
            {
              proposedFollowup: "and this",
              isSent: false,
            },
          );
          const no = await call(session, "background_composer_followup", late, { answer: { decision: "reject" } });
          expect(no.outcome.kind).toBe("rejected");
        },
      ),
    60_000,
  );

  verifies(
    "tools:task:behaviour:same-gate",
    "end with their process, and are never lost without a word",
    () =>
      withModel(
        () => ({ odd: "hang" }),
        async ({ newSession, result, restart, db }) => {
          const session = await newSession();
          const { asyncTaskResult } = await result(session, "task", { taskDescription: "x", async: true });
          const { taskId } = asyncTaskResult as { taskId: string };
          // A process that comes when the lease is over takes the other for dead.
          const later = new Date(Date.now() + 60_000);
          await restart({ now: () => later });
          expect(await findAgentTask(db, session.id, taskId)).toMatchObject({
            state: "errored",
            summary: expect.stringContaining("The server stopped while the sub-agent worked") as unknown,
          });
        },
      ),
    60_000,
  );
});

describe("hooks", () => {
  verifies(
    "policy:hooks:permission",
    "may allow, ask or deny before the rules; a denial carries both of its messages",
    async () => {
      const hooks = hookFile(
        `input=$(cat); case "$input" in
          *deny-me*) echo '{"permission":"deny","user_message":"Not on Fridays","agent_message":"It is Friday; wait."}';;
          *ask-me*) echo '{"permission":"ask"}';;
          *break-me*) exit 3;;
          *lie-to-me*) echo '{"permission":"perhaps"}';;
          *) echo '{"permission":"allow"}';;
        esac`,
      );
      await withAgentWorld(
        { hookFiles: [hooks.file, "/nowhere/hooks.json"] },
        async ({ newSession, call, approvalOf, runtime }) => {
          const session = await newSession();
          const write = (name: string): JsonObject => ({ relativeWorkspacePath: name, contentsAfterEdit: "x" });
          // Asked about by default; the hook's yes is enough.
          expect((await call(session, "edit_file_v2", write("ok.txt"))).outcome.kind).toBe("succeeded");
          const denied = await call(session, "read_file_v2", { targetFile: "deny-me" });
          expect(denied.outcome).toMatchObject({
            kind: "failed",
            error: {
              client: "Not on Fridays",
              model: "It is Friday; wait. Do not work around it; tell the person if the call is needed.",
            },
          });
          // Allowed by default; the hook wants a person to be asked.
          const read = call(session, "read_file_v2", { targetFile: "ask-me" }, { toolCallId: "ask" });
          const approval = await approvalOf(session.id, "ask");
          expect(approval.question).toMatchObject({ reasons: ["a preToolUse hook says ask"], canSave: false });
          await runtime.answer({
            teamId: "team",
            approvalId: approval.id,
            decision: "reject",
            reason: "",
            answeredBy: "me",
          });
          expect((await read).outcome.kind).toBe("rejected");
          for (const name of ["break-me", "lie-to-me"]) {
            const { outcome } = await call(session, "read_file_v2", { targetFile: name });
            expect(outcome).toMatchObject({
              error: { client: expect.stringContaining("the hooks cannot be used") as unknown },
            });
          }
          // Its yes lifts no mode.
          const planning = await newSession("plan");
          expect((await call(planning, "edit_file_v2", write("no.txt"))).outcome.kind).toBe("failed");
          writeFileSync(hooks.file, "{");
          expect((await call(session, "read_file_v2", { targetFile: "a.txt" })).outcome.kind).toBe("failed");
        },
      );
      hooks.remove();
    },
    60_000,
  );
});

/** A file with one hook of every call. */
function hookFile(script: string): { readonly file: string; readonly remove: () => void } {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-hooks-"));
  const program = path.join(directory, "hook.sh");
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o700);
  const file = path.join(directory, "hooks.json");
  writeFileSync(file, JSON.stringify({ version: 1, hooks: { preToolUse: [{ command: program }] } }));
  return { file, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

let current: AgentWorld["runtime"] | undefined;

async function answer(approval: Approval | undefined, decision: "once" | "reject" | "abort"): Promise<void> {
  if (approval === undefined || current === undefined) throw new Error("nobody was asked");
  await current.answer({ teamId: "team", approvalId: approval.id, decision, reason: "", answeredBy: "me" });
}

/** What waits for an answer in a session or from its sub-agents. */
async function askedOf(db: AgentWorld["db"], session: ToolSession): Promise<readonly Approval[]> {
  for (let tries = 0; tries < 500; tries += 1) {
    const { data } = await listApprovals(db, { teamId: "team", sessionId: session.id, states: ["pending"], limit: 10 });
    if (data.length > 0) return data;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return [];
}

/** A world whose sub-agents think with a server that speaks OpenAI's protocol and says what the script does. */
async function withModel(
  script: Script,
  work: (world: AgentWorld, seen: readonly SeenModelRequest[]) => Promise<void>,
  options: WorldOptions = {},
): Promise<void> {
  const server = await startTestModelServer((request, response) => {
    const turns =
      (request.body["messages"] as { role: string }[]).filter(({ role }) => role === "assistant").length + 1;
    reply(response, script(request, turns));
  });
  const endpoint = { url: server.url, key: undefined };
  const model = createOpenAiLlm(server.deps, { endpoint, model: "set", timeoutMs: 20_000 });
  try {
    await withAgentWorld({ model, files: { "src/old.txt": "old\n" }, ...options }, (world) => {
      current = world.runtime;
      return work(world, server.seen);
    });
  } finally {
    await server.close();
  }
}

function reply(response: ServerResponse, turn: Turn): void {
  if (typeof turn === "object" && "odd" in turn) {
    if (turn.odd === "hang") return; // until the caller gives up
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: "no such model" } }));
    return;
  }
  const message =
    typeof turn === "string"
      ? { content: turn }
      : {
          content: null,
          tool_calls: turn.map(([name, args], index) => ({
            id: `c${index}`,
            type: "function",
            function: { name, arguments: JSON.stringify(args) },
          })),
        };
  response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }] }));
}
