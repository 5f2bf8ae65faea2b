import { describe, expect, it } from "vitest";
import type { Database } from "../database.ts";
import { withDatabase } from "../testing.ts";
import {
  endAgentTask,
  getAgentTask,
  listAgentTasks,
  listLostTasks,
  startAgentTask,
  takeEndedTasks,
  takeTaskMessages,
  tellAgentTask,
  type AgentTask,
} from "./agent-tasks.ts";
import { addKnowledge, deleteKnowledge, listKnowledge, updateKnowledge } from "./agent-knowledge.ts";
import { addAgentPlan, changeAgentPlan, findAgentPlan } from "./agent-plans.ts";
import { readCallContext } from "./call-context.ts";
import { saveToolRule } from "./tool-rules.ts";
import { changeSessionTodos, getToolSession, openToolSession, switchSessionMode } from "./tool-sessions.ts";

const now = new Date("2026-11-16T04:00:00Z");
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1_000);

describe("what agents keep", () => {
  it("starts a task once per call, and no more than there is room for", () =>
    withAgent(async ({ db, key, start }) => {
      const first = await start("c1");
      expect(await start("c1")).toEqual({ ...first, isNew: false });
      const [second, third] = await Promise.all([start("c2"), start("c3")]);
      expect([second.task.state, third.task.state].sort()).toEqual(["errored", "running"]);
      const refused = second.task.state === "errored" ? second.task : third.task;
      expect(refused).toMatchObject({ summary: "no room" });
      expect(await listAgentTasks(db, key, [first.task.id, "task_unknown"])).toEqual([first.task]);
      expect(await listAgentTasks(db, { ...key, teamId: "other" }, [first.task.id])).toEqual([]);
      await expect(getAgentTask(db, "other", first.task.id)).rejects.toMatchObject({ code: "not_found" });
      expect((await listLostTasks(db, later(31), 10)).map(({ id }) => id)).toContain(first.task.id);
      expect(await listLostTasks(db, later(29), 10)).toEqual([]);
    }));

  it("does not end a task that was told something it has not read, and announces the end once", () =>
    withAgent(async ({ db, key, start }) => {
      const { task } = await start("c1");
      const told = { ...key, id: task.id };
      const end = { id: task.id, state: "completed", summary: "done", fileResults: [], runnerId: "r" } as const;
      expect(await endAgentTask(db, { ...end, runnerId: "another" }, now)).toBeUndefined();
      expect(await tellAgentTask(db, told, "also this\0", now)).toBe(true);
      expect(await endAgentTask(db, end, now)).toBeUndefined();
      expect(await takeTaskMessages(db, task.id, now)).toEqual(["also this\uFFFD"]);
      expect(await takeTaskMessages(db, task.id, now)).toEqual([]);
      expect(await endAgentTask(db, end, now)).toMatchObject({ state: "completed", summary: "done" });
      expect(await endAgentTask(db, end, now)).toBeUndefined();
      expect(await tellAgentTask(db, told, "too late", now)).toBe(false);
      expect((await takeEndedTasks(db, key.parentSessionId, now)).map(({ id }) => id)).toEqual([task.id]);
      expect(await takeEndedTasks(db, key.parentSessionId, now)).toEqual([]);
      expect((await getToolSession(db, "team", task.sessionId ?? "")).closedAt).toEqual(now);
    }));

  it("judges a sub-agent by its agent's rules too, and puts it under the same mode", () =>
    withAgent(async ({ db, key, start }) => {
      const { task } = await start("c1");
      const child = task.sessionId ?? "";
      const before = (await readCallContext(db, "team", child)).version;
      const rule = { teamId: "team", sessionId: key.parentSessionId, rule: { tools: ["x"] }, createdBy: "me" };
      await saveToolRule(db, rule, now);
      const context = await readCallContext(db, "team", child);
      expect([context.rules.length, context.version === before]).toEqual([1, false]);
      const parent = { teamId: "team", id: key.parentSessionId };
      expect(await switchSessionMode(db, parent, "plan", now)).toBe("agent");
      expect((await getToolSession(db, "team", child)).mode).toBe("plan");
      expect(await switchSessionMode(db, parent, "agent", now)).toBe("plan");
      expect((await getToolSession(db, "team", child)).mode).toBe("plan");
    }));

  it("changes todos and plans one after the other, and knowledge within its room", () =>
    withAgent(async ({ db, key }) => {
      const session = { teamId: "team", id: key.parentSessionId };
      const add = (item: string) => changeSessionTodos(db, session, (old) => [...(old as string[]), item], now);
      await Promise.all(["a", "b", "c", "d"].map(add));
      const { todos } = await getToolSession(db, "team", session.id);
      expect([...(todos as string[])].sort()).toEqual(["a", "b", "c", "d"]);

      const where = { teamId: "team", sessionId: session.id };
      expect(await findAgentPlan(db, where)).toBeUndefined();
      for (const name of ["one", "two"]) {
        await addAgentPlan(db, { ...where, name, fileName: `${name}.plan.md`, text: `${name}:` }, now);
      }
      expect(await findAgentPlan(db, where)).toMatchObject({ name: "two" });
      const grow = (): Promise<unknown> => changeAgentPlan(db, { ...where, name: "one" }, (text) => `${text}x`, now);
      await Promise.all([grow(), grow(), grow()]);
      expect(await findAgentPlan(db, where)).toMatchObject({ name: "one", text: "one:xxx" });
      const failing = changeAgentPlan(
        db,
        where,
        () => {
          throw new Error("no");
        },
        now,
      );
      await expect(failing).rejects.toThrow("no");

      const entry = { teamId: "team", workspaceRoot: "/w", title: "t", text: "x" };
      const kept = await Promise.all([1, 2, 3].map(() => addKnowledge(db, entry, 2, now)));
      const [first] = kept.flatMap((each) => each ?? []);
      expect(kept.filter((each) => each === undefined)).toHaveLength(1);
      const id = first?.id ?? "";
      expect(await updateKnowledge(db, { teamId: "team", id }, { title: "", text: "y" }, now)).toMatchObject({
        title: "t",
        text: "y",
      });
      expect(await updateKnowledge(db, { teamId: "other", id }, { title: "", text: "y" }, now)).toBeUndefined();
      expect(await deleteKnowledge(db, { teamId: "other", id })).toBeUndefined();
      expect(await deleteKnowledge(db, { teamId: "team", id })).toMatchObject({ id });
      expect(await listKnowledge(db, "team", 10)).toHaveLength(1);
    }));
});

interface Agent {
  readonly db: Database;
  readonly key: { readonly teamId: string; readonly parentSessionId: string };
  readonly start: (toolCallId: string) => Promise<{ readonly task: AgentTask; readonly isNew: boolean }>;
}

function withAgent(work: (agent: Agent) => Promise<void>): Promise<void> {
  return withDatabase(async (db) => {
    await db.query("INSERT INTO teams (id, name) VALUES ('team', 'team')");
    const { id: parentSessionId } = await openToolSession(db, { teamId: "team" }, now);
    const key = { teamId: "team", parentSessionId };
    await work({
      db,
      key,
      start: async (toolCallId) => {
        const child = { teamId: "team", name: toolCallId, parentId: parentSessionId, agentName: "helper" };
        const { id: sessionId } = await openToolSession(db, { ...child, writeDirectories: ["src"] }, now);
        const task = { ...key, toolCallId, sessionId, title: "a task", request: {}, isBackground: true };
        const limits = { maxRunning: 2, refusal: "no room" };
        return startAgentTask(db, { ...task, runnerId: "r", leaseUntil: later(30) }, limits, now);
      },
    });
  });
}
