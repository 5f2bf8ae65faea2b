import type { FileChange, SessionChanges, ToolRuntime } from "@quarry/agent";
import { AppError } from "@quarry/base";
import {
  checkpointDifferenceSchema,
  checkpointSchema,
  undoneSchema,
  type Caller,
  type fileChangeSchema,
} from "@quarry/contract";
import type { ToolSession } from "@quarry/store";
import { z } from "zod";
import { defineRoute, type Route } from "../route.ts";
import { namedSession } from "./named-session.ts";

const idParams = z.object({ id: z.string().min(1) });
const checkpointParams = idParams.extend({ checkpointId: z.string().min(1) });
const changeParams = idParams.extend({ changeId: z.string().min(1) });

/** What a session's tools changed over REST: list it, compare it, take it back. */
export function sessionChangeRoutes(deps: { readonly tools: ToolRuntime }): readonly Route[] {
  const { tools } = deps;
  const common = { tag: "Tools", access: "tools" } as const;
  const changesOf = async (
    caller: Caller,
    sessionId: string,
  ): Promise<{ readonly session: ToolSession; readonly changes: SessionChanges }> => {
    const session = await namedSession(tools, caller, sessionId);
    // Where the files are far away, their machine keeps the changes too.
    const changes = session.machine === null ? tools.sessionChanges : tools.machines.changesOf(session);
    if (changes !== undefined) return { session, changes };
    throw new AppError("unprocessable", "this server works on no files, so sessions change none here");
  };
  return [
    defineRoute({
      ...common,
      name: "listCheckpoints",
      method: "GET",
      path: "/quarry/v1/sessions/:id/checkpoints",
      summary: "Lists the turns of a session that changed files, oldest first",
      params: idParams,
      response: z.object({ data: z.array(checkpointSchema) }),
      handle: async ({ params }, { caller }) => {
        const { session, changes } = await changesOf(caller, params.id);
        const checkpoints = await changes.checkpoints(session.id);
        return { data: checkpoints.map((each) => ({ ...each, changes: each.changes.map(toReply) })) };
      },
    }),
    defineRoute({
      ...common,
      name: "compareCheckpoint",
      method: "GET",
      path: "/quarry/v1/sessions/:id/checkpoints/:checkpointId",
      summary: "What restoring a checkpoint would change",
      params: checkpointParams,
      response: z.object({ data: z.array(checkpointDifferenceSchema) }),
      handle: async ({ params }, { caller }) => {
        const { session, changes } = await changesOf(caller, params.id);
        return { data: [...(await changes.compare(session.id, params.checkpointId))] };
      },
    }),
    defineRoute({
      ...common,
      name: "restoreCheckpoint",
      method: "POST",
      path: "/quarry/v1/sessions/:id/checkpoints/:checkpointId/restore",
      summary: "Brings the files back to what they were at a checkpoint, all or none",
      params: checkpointParams,
      response: undoneSchema,
      handle: async ({ params }, { caller }) => {
        const { session, changes } = await changesOf(caller, params.id);
        return { changes: (await changes.restore(session, params.checkpointId)).changes.map(toReply) };
      },
    }),
    defineRoute({
      ...common,
      name: "undoChange",
      method: "POST",
      path: "/quarry/v1/sessions/:id/changes/:changeId/undo",
      summary: "Takes one change of one file back, unless the file was changed since",
      params: changeParams,
      response: undoneSchema,
      handle: async ({ params }, { caller }) => {
        const { session, changes } = await changesOf(caller, params.id);
        return { changes: (await changes.undo(session, params.changeId)).changes.map(toReply) };
      },
    }),
  ];
}

function toReply({
  id,
  toolCallId,
  absolute,
  before,
  after,
  at,
  undoes,
}: FileChange): z.input<typeof fileChangeSchema> {
  const kind = before.kind === "nothing" ? "created" : after.kind === "nothing" ? "deleted" : "changed";
  return { id, toolCallId, path: absolute, kind, at, undoes: undoes ?? null };
}
