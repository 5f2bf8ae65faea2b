import { readFile } from "node:fs/promises";
import type { ToolContext } from "../tool.ts";
import { writeTarget, type EditDeps, type EditTarget } from "./edit-target.ts";
import { lintEdit, NO_LINTS, type EditLints } from "./lint-edit.ts";
import type { FileNote } from "./session-files.ts";
import { contentIdOf } from "./text-file.ts";

/** What an edit of one file did. */
export interface PerformedEdit {
  readonly contentId: string;
  readonly lints: EditLints;
  /** Something that runs when files are saved put the old contents back. */
  readonly wasPutBack: boolean;
}

/** Writes a target's new text, between two looks of the linters where they are wanted. The caller holds its lock. */
export async function performEdit(
  deps: EditDeps,
  context: ToolContext,
  edit: {
    readonly target: EditTarget;
    readonly text: string;
    readonly language: string;
    readonly wantsLints: boolean;
    readonly editor?: string | undefined;
    readonly call?: FileNote["edit"];
  },
): Promise<PerformedEdit> {
  const { target, language } = edit;
  const { absolute } = target.place;
  const write = async (): Promise<string> => (await writeTarget(deps, context, edit)).contentId;
  if (!edit.wantsLints) return { contentId: await write(), lints: NO_LINTS, wasPutBack: false };
  const { written, lints } = await lintEdit(deps, context, { absolute, language, write });
  return { contentId: written, lints, wasPutBack: contentIdOf(await readFile(absolute)) === target.contentId };
}
