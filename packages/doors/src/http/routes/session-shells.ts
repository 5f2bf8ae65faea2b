import type { SessionShells, ToolRuntime } from "@quarry/agent";
import { AppError } from "@quarry/base";
import { backgroundShellSchema, type Caller } from "@quarry/contract";
import { z } from "zod";
import { defineRoute, type Route } from "../route.ts";
import { namedSession } from "./named-session.ts";

const idParams = z.object({ id: z.string().min(1) });
const shellParams = idParams.extend({ shellId: z.coerce.number().int().min(1) });

/** What a session left running in the background over REST: list it, read what it said, stop it. */
export function sessionShellRoutes(deps: { readonly tools: ToolRuntime }): readonly Route[] {
  const { tools } = deps;
  const common = { tag: "Tools", access: "tools" } as const;
  const shellsOf = async (
    caller: Caller,
    id: string,
  ): Promise<{ readonly sessionId: string; readonly shells: SessionShells }> => {
    const session = await namedSession(tools, caller, id);
    const shells = tools.sessionShells;
    if (session.machine === null && shells !== undefined) return { sessionId: session.id, shells };
    throw new AppError("unprocessable", "the terminals of this session are on another machine");
  };
  return [
    defineRoute({
      ...common,
      name: "listSessionShells",
      method: "GET",
      path: "/quarry/v1/sessions/:id/shells",
      summary: "Lists the shells that a session left running in the background, oldest first",
      params: idParams,
      response: z.object({ data: z.array(backgroundShellSchema) }),
      handle: async ({ params }, { caller }) => {
        const { sessionId, shells } = await shellsOf(caller, params.id);
        return { data: [...shells.list(sessionId)] };
      },
    }),
    defineRoute({
      ...common,
      name: "readSessionShell",
      method: "GET",
      path: "/quarry/v1/sessions/:id/shells/:shellId",
      summary: "What a shell said so far: at most its first 20,000 and last 40,000 bytes",
      params: shellParams,
      response: backgroundShellSchema.extend({ output: z.string() }),
      handle: async ({ params }, { caller }) => {
        const { sessionId, shells } = await shellsOf(caller, params.id);
        return shells.read(sessionId, params.shellId);
      },
    }),
    defineRoute({
      ...common,
      name: "stopSessionShell",
      method: "POST",
      path: "/quarry/v1/sessions/:id/shells/:shellId/stop",
      summary: "Ends a shell and all it started",
      params: shellParams,
      response: backgroundShellSchema,
      handle: async ({ params }, { caller }) => {
        const { sessionId, shells } = await shellsOf(caller, params.id);
        return shells.stop(sessionId, params.shellId);
      },
    }),
  ];
}
