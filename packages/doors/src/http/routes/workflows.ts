import type { Clock } from "@quarry/base";
import { pageOf, pagingQuery, timestampSchema } from "@quarry/contract";
import {
  cancelWorkflow,
  createWorkflow,
  getWorkflow,
  isWorkflowFinished,
  listWorkflows,
  listWorkflowSteps,
  type Database,
  type WorkflowTask,
} from "@quarry/store";
import { aboutWorkflow, checkWorkflow, showSteps, workflowNames } from "@quarry/workflows";
import { z } from "zod";
import { defineRoute, type Route } from "../route.ts";

/** What the workflow routes need. */
export interface WorkflowRoutesDeps {
  readonly db: Database;
  readonly clock: Clock;
}

const taskSchema = z
  .object({
    id: z.string(),
    object: z.literal("workflow_task"),
    workflow: z.string(),
    status: z.enum(["pending", "working", "completed", "failed", "cancelled"]),
    progress: z.object({
      step: z.string(),
      completed: z.number(),
      total: z.number(),
      message: z.string().optional(),
    }),
    error: z.object({ step: z.string(), message: z.string(), recoverable: z.boolean() }).nullable(),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
    finishedAt: timestampSchema.nullable(),
    expiresAt: timestampSchema.nullable().describe("When it is forgotten; set at its end."),
  })
  .meta({ id: "WorkflowTask" });

const resultSchema = taskSchema
  .extend({
    result: z.record(z.string(), z.unknown()).nullable().describe("With _summary, in one line, and steps."),
    partial: z.boolean().describe("Whether this is what there is so far, rather than the end."),
    steps: z.array(z.object({ name: z.string(), durationMs: z.number() })),
  })
  .meta({ id: "WorkflowResult" });

const params = z.object({ id: z.string().min(1).max(200) });
const shared = { tag: "Workflows", access: "research" } as const;

/** Whole jobs as durable tasks: begin, list, look, read, cancel. */
export function workflowRoutes({ db, clock }: WorkflowRoutesDeps): readonly Route[] {
  return [
    defineRoute({
      ...shared,
      name: "createWorkflow",
      method: "POST",
      path: "/quarry/v1/workflows",
      summary: "Begin a workflow",
      description: workflowNames.map((name) => `${name}: ${aboutWorkflow(name)}.`).join(" "),
      status: 201,
      creates: true,
      meter: "research",
      body: z.object({ workflow: z.enum(workflowNames), args: z.record(z.string(), z.unknown()).default({}) }),
      response: taskSchema,
      handle: async ({ body: { workflow, args } }, { caller, newId }) => {
        checkWorkflow(workflow, args, clock.now());
        const kept = JSON.parse(JSON.stringify(args)) as WorkflowTask["args"]; // from JSON
        const task = { id: newId("task"), teamId: caller.teamId, workflow, args: kept };
        return show(await createWorkflow(db, task, clock.now()));
      },
    }),
    defineRoute({
      ...shared,
      name: "listWorkflows",
      method: "GET",
      path: "/quarry/v1/workflows",
      summary: "List the team's workflow tasks, newest first",
      query: z.object(pagingQuery({ max: 100, default: 25 })),
      response: pageOf(taskSchema),
      handle: async ({ query }, { caller }) => {
        const page = await listWorkflows(db, caller.teamId, query);
        return { ...page, data: page.data.map(show) };
      },
    }),
    defineRoute({
      ...shared,
      name: "getWorkflow",
      method: "GET",
      path: "/quarry/v1/workflows/:id",
      summary: "Tell how far a workflow task is",
      params,
      response: taskSchema,
      handle: async ({ params: { id } }, { caller }) => show(await getWorkflow(db, caller.teamId, id)),
    }),
    defineRoute({
      ...shared,
      name: "getWorkflowResult",
      method: "GET",
      path: "/quarry/v1/workflows/:id/result",
      summary: "Give what a workflow task came to, or what it has so far",
      params,
      response: resultSchema,
      handle: async ({ params: { id } }, { caller }) => {
        const task = await getWorkflow(db, caller.teamId, id);
        const result = (task.result ?? task.partialResult) as Record<string, unknown> | null; // an object, by the flows
        const steps = showSteps(await listWorkflowSteps(db, id));
        return { ...show(task), result, partial: task.status !== "completed", steps: [...steps] };
      },
    }),
    defineRoute({
      ...shared,
      name: "cancelWorkflow",
      method: "POST",
      path: "/quarry/v1/workflows/:id/cancel",
      summary: "End a workflow task and stop what it set going; one that has ended stays as it is",
      params,
      response: taskSchema,
      handle: async ({ params: { id } }, { caller }) => show(await cancelWorkflow(db, caller.teamId, id, clock.now())),
    }),
  ];
}

function show(task: WorkflowTask): z.input<typeof taskSchema> {
  return {
    id: task.id,
    object: "workflow_task",
    workflow: task.workflow,
    status: task.status,
    progress: isWorkflowFinished(task.status) && task.status === "completed" ? doneOf(task) : { ...task.progress },
    error: task.error,
    createdAt: task.createdAt.toISOString(),
    updatedAt: task.updatedAt.toISOString(),
    finishedAt: task.finishedAt?.toISOString() ?? null,
    expiresAt: task.expiresAt?.toISOString() ?? null,
  };
}

function doneOf({ progress: { total } }: WorkflowTask): z.input<typeof taskSchema>["progress"] {
  return { step: "done", completed: total, total };
}
