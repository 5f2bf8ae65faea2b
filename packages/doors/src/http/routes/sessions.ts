import type { BackgroundShell, SessionShells } from "@quarry/agent";
import { AppError, type Clock } from "@quarry/base";
import { pageOf, pagingQuery, toolSessionSchema, toolSessionWishSchema } from "@quarry/contract";
import {
  closeToolSession,
  getToolSession,
  listToolSessions,
  openToolSession,
  updateToolSession,
  type Database,
  type ToolSession,
} from "@quarry/store";
import { z } from "zod";
import { defineRoute, type Route } from "../route.ts";

const idParams = z.object({ id: z.string().min(1) });

/** The sessions of tool calls over REST. */
export function toolSessionRoutes(deps: {
  readonly db: Database;
  readonly clock: Clock;
  /** What sessions left running here. */
  readonly shells?: Pick<SessionShells, "list"> | undefined;
}): readonly Route[] {
  const { db, clock } = deps;
  const toReply = (session: ToolSession) => toSessionReply(session, deps.shells?.list(session.id) ?? []);
  const common = { tag: "Tools", access: "tools" } as const;
  return [
    defineRoute({
      ...common,
      name: "createToolSession",
      method: "POST",
      path: "/quarry/v1/sessions",
      summary: "Makes a session; with the name of an open one, gives that back",
      status: 201,
      creates: true,
      body: toolSessionWishSchema,
      response: toolSessionSchema,
      handle: async ({ body }, { caller, newId }) =>
        toReply(
          await openToolSession(db, { id: newId("session"), teamId: caller.teamId, ...given(body) }, clock.now()),
        ),
    }),
    defineRoute({
      ...common,
      name: "listToolSessions",
      method: "GET",
      path: "/quarry/v1/sessions",
      summary: "Lists sessions, newest first",
      query: z.object(pagingQuery({ max: 100, default: 25 })),
      response: pageOf(toolSessionSchema),
      handle: async ({ query }, { caller }) => {
        const page = await listToolSessions(db, caller.teamId, query);
        return { ...page, data: page.data.map(toReply) };
      },
    }),
    defineRoute({
      ...common,
      name: "getToolSession",
      method: "GET",
      path: "/quarry/v1/sessions/:id",
      summary: "One session",
      params: idParams,
      response: toolSessionSchema,
      handle: async ({ params }, { caller }) => toReply(await getToolSession(db, caller.teamId, params.id)),
    }),
    defineRoute({
      ...common,
      name: "updateToolSession",
      method: "PATCH",
      path: "/quarry/v1/sessions/:id",
      summary: "Changes a session's mode or workspace root",
      params: idParams,
      body: toolSessionWishSchema,
      response: toolSessionSchema,
      handle: async ({ params, body }, { caller }) => {
        if (body.name !== undefined) throw new AppError("invalid_request", "name: a session keeps its name");
        return toReply(await updateToolSession(db, { teamId: caller.teamId, id: params.id }, body, clock.now()));
      },
    }),
    defineRoute({
      ...common,
      name: "closeToolSession",
      method: "DELETE",
      path: "/quarry/v1/sessions/:id",
      summary: "Closes a session: it takes no more calls",
      params: idParams,
      response: toolSessionSchema,
      handle: async ({ params }, { caller }) =>
        toReply(await closeToolSession(db, caller.teamId, params.id, clock.now())),
    }),
  ];
}

function given({ name, workspaceRoot, mode }: z.output<typeof toolSessionWishSchema>) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(workspaceRoot === undefined ? {} : { workspaceRoot }),
    ...(mode === undefined ? {} : { mode }),
  };
}

function toSessionReply(session: ToolSession, shells: readonly BackgroundShell[]): z.input<typeof toolSessionSchema> {
  const { id, name, workspaceRoot, mode, todos } = session;
  return {
    id,
    name,
    workspaceRoot,
    mode,
    todos: Array.isArray(todos) ? [...(todos as readonly unknown[])] : [],
    terminals: [...shells],
    createdAt: session.createdAt.toISOString(),
    updatedAt: session.updatedAt.toISOString(),
    closedAt: session.closedAt?.toISOString() ?? null,
  };
}
