import type { ToolContext } from "../tool.ts";
import type { ChangeOf } from "./edit-history.ts";
import type { WorkspacePath } from "./resolve-path.ts";

/** Whose change it is that a call makes at a place. */
export function changeOf(
  context: ToolContext,
  place: Pick<WorkspacePath, "absolute" | "root">,
  editor?: string,
): ChangeOf {
  const { session, toolCallId, turnId } = context;
  return {
    sessionId: session.id,
    toolCallId,
    absolute: place.absolute,
    root: place.root,
    ...(turnId === undefined ? {} : { turnId }),
    ...(session.parentId === undefined || session.parentId === null ? {} : { parentSessionId: session.parentId }),
    ...(editor === undefined ? {} : { editor }),
  };
}
