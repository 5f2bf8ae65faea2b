import { AppError } from "@quarry/base";
import { mergeTexts } from "../../edits/merge-texts.ts";
import type { ToolPlace } from "../../tool.ts";
import type { Contents } from "../../workspace/edit-history.ts";
import { encodeTarget, openTarget, type EditDeps } from "../../workspace/edit-target.ts";
import type { WorkspacePath } from "../../workspace/resolve-path.ts";
import { decodeText } from "../../workspace/text-file.ts";

/** A file that a sub-agent changed. */
export interface AgentFile {
  /** Where it belongs in this workspace. */
  readonly place: WorkspacePath;
  /** What it was when the sub-agent first changed it. */
  readonly base: Contents;
  /** Where the sub-agent has it. */
  readonly theirs: string;
}

/** What a file becomes by a merge; no `after` deletes it. */
export interface MergedFile {
  readonly place: WorkspacePath;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly bytes: Buffer | undefined;
  readonly mode?: number;
  readonly conflict?: { readonly short: string; readonly model: string };
}

/** Merges one file: base, ours, theirs. What only one side changed is taken as it is. */
export async function mergeAgentFile(
  deps: Pick<EditDeps, "rootsOf" | "protectedPaths" | "history">,
  session: ToolPlace,
  file: AgentFile,
): Promise<MergedFile> {
  const { place } = file;
  const target = await openTarget(deps, session, place.absolute);
  const [base, theirs] = await Promise.all([
    textOf(deps, place, file.base),
    deps.history.look(file.theirs).then(async (now) => ({ now, text: await textOf(deps, place, now) })),
  ]);
  const ours = target.exists ? target.text : undefined;
  const same = { place, before: ours, after: ours, bytes: ours === undefined ? undefined : encodeTarget(target, ours) };
  if (ours === theirs.text || theirs.text === base) return same;
  if (ours === base) return take(theirs.text);
  if (ours === undefined || theirs.text === undefined || base === undefined) {
    const who =
      theirs.text === undefined
        ? "the sub-agent deleted it and you changed it"
        : "both sides made it anew, or you deleted it";
    return { ...same, conflict: conflict(place, who) };
  }
  const merged = mergeTexts(base, ours, theirs.text);
  if (merged.kind === "conflict") {
    return { ...same, conflict: conflict(place, `both sides changed what was line ${merged.baseLine}`) };
  }
  return take(merged.text);

  function take(after: string | undefined): MergedFile {
    const mode = theirs.now.kind === "file" && !target.exists ? { mode: theirs.now.mode } : {};
    const bytes = after === undefined ? undefined : encodeTarget(target, after);
    return { place, before: ours, after, bytes, ...mode };
  }
}

function conflict(place: WorkspacePath, why: string): { readonly short: string; readonly model: string } {
  return {
    short: `conflict: ${why}`,
    model: `${place.relative} was not changed: ${why}. Read both versions and edit the file yourself.`,
  };
}

async function textOf(
  deps: Pick<EditDeps, "history">,
  place: WorkspacePath,
  contents: Contents,
): Promise<string | undefined> {
  if (contents.kind === "nothing") return undefined;
  const text = contents.kind === "file" ? decodeText(await deps.history.read(contents.contentId))?.text : undefined;
  if (text === undefined) throw new AppError("unprocessable", `${place.relative} is no text and cannot be merged`);
  return text;
}
