import type { ToolContext } from "../tool.ts";
import { changeOf } from "./change-of.ts";
import type { FileChange } from "./edit-history.ts";
import type { EditDeps } from "./edit-target.ts";
import type { WorkspacePath } from "./resolve-path.ts";

/** What a file becomes; undefined bytes delete it. */
export interface NextFile {
  readonly place: WorkspacePath;
  readonly bytes: Buffer | undefined;
  readonly mode?: number;
}

/** Changes several files, all or none: when one cannot be written, those before it are put back and the error is thrown. The caller holds the locks. */
export async function changeFiles(
  deps: Pick<EditDeps, "history">,
  context: ToolContext,
  files: readonly NextFile[],
): Promise<readonly FileChange[]> {
  const made: FileChange[] = [];
  try {
    for (const { place, bytes, mode } of files) {
      const next =
        bytes === undefined
          ? ({ kind: "nothing" } as const)
          : ({ kind: "file", bytes, ...(mode === undefined ? {} : { mode }) } as const);
      made.push(await deps.history.make(changeOf(context, place), next));
    }
    return made;
  } catch (error) {
    for (const { absolute, root, before, id } of made.toReversed()) {
      await deps.history.put({ ...changeOf(context, { absolute, root: root ?? "" }), undoes: id }, before);
    }
    throw error;
  }
}
