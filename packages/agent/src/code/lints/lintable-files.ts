import { stat } from "node:fs/promises";
import { AppError } from "@quarry/base";
import type { ToolContext } from "../../tool.ts";
import { listFiles } from "../../workspace/list-files.ts";
import { refuseHidden } from "../../workspace/protected-paths.ts";
import { isMissing, resolvePath, type WorkspacePath } from "../../workspace/resolve-path.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { canLint } from "./lint-files.ts";

/** The most files that one call looks at. */
const MAX_FILES = 100;

/**
 * The files that a call is about: those it names, those below directories it names, or else those that the session
 * changed. Throws `not_found` for a file that is not there, `invalid_request` for one that nothing here can lint.
 */
export async function lintableFiles(
  deps: Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "ripgrep" | "history">,
  named: readonly string[],
  context: Pick<ToolContext, "session" | "signal">,
): Promise<readonly WorkspacePath[]> {
  const roots = deps.rootsOf(context.session);
  const found: WorkspacePath[] = [];
  if (named.length === 0) {
    for (const { absolute } of await deps.history.list(context.session.id)) {
      const place = await resolvePath(roots, absolute).catch(() => undefined); // moved out of the workspace since
      if (place !== undefined && canLint(absolute) && (await kindOf(absolute)) === "file") found.push(place);
    }
  }
  for (const given of named) {
    const place = await resolvePath(roots, given);
    await refuseHidden(deps.protectedPaths, place);
    const kind = await kindOf(place.absolute);
    if (kind === "nothing") throw new AppError("not_found", `there is no file ${given}`);
    if (kind === "directory") {
      const { files } = await listFiles(deps, { root: place.root, below: place.relative }, context.signal);
      const below = files.filter(canLint).slice(0, MAX_FILES);
      found.push(...(await Promise.all(below.map((file) => resolvePath([place.root], file)))));
    } else if (canLint(place.absolute)) found.push(place);
    else {
      const known = "TypeScript, JavaScript and Python files";
      throw new AppError("invalid_request", `${given}: nothing here lints such files; ${known} can be linted`);
    }
  }
  return [...new Map(found.map((place) => [place.absolute, place])).values()].slice(0, MAX_FILES);
}

async function kindOf(absolute: string): Promise<"file" | "directory" | "nothing"> {
  const found = await stat(absolute).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  return found === undefined ? "nothing" : found.isDirectory() ? "directory" : "file";
}
