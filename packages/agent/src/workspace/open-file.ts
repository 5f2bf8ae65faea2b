import { statSync, type Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import path from "node:path";
import { AppError, editDistance } from "@quarry/base";
import type { ToolPlace } from "../tool.ts";
import { refuseHidden } from "./protected-paths.ts";
import { readSmallFile } from "./read-small-file.ts";
import { isMissing, resolvePath, type WorkspacePath } from "./resolve-path.ts";
import { contentIdOf } from "./text-file.ts";
import type { WorkspaceDeps } from "./workspace-deps.ts";

/** The largest file that is read into memory. */
const MAX_FILE_BYTES = 50 * 1024 * 1024;
const CLOSE_NAMES = 3;
const MAX_LISTED = 2_000;

/** A file of the workspace and its bytes. */
export interface OpenedFile {
  readonly place: WorkspacePath;
  readonly bytes: Buffer;
}

/** Reads a file that tools may see. Throws `not_found` with close names, `invalid_request` for what is no file, `forbidden`, `too_large`. */
export async function openFile(
  deps: Pick<WorkspaceDeps, "rootsOf" | "protectedPaths"> & Partial<Pick<WorkspaceDeps, "sessionFiles">>,
  session: ToolPlace,
  given: string,
): Promise<OpenedFile> {
  const place = await resolvePath(deps.rootsOf(session), given);
  await refuseHidden(deps.protectedPaths, place);
  const found = lookAt(place, given);
  if (found === undefined) throw new AppError("not_found", `there is no file ${given}${await closeNames(deps, place)}`);
  if (found.isDirectory()) throw new AppError("invalid_request", `${given} is a directory; list it with list_dir`);
  if (!found.isFile()) throw new AppError("invalid_request", `${given} is no regular file`);
  if (found.size > MAX_FILE_BYTES) {
    throw new AppError(
      "too_large",
      `${given} has ${found.size} bytes; at most ${MAX_FILE_BYTES} can be read, so search it`,
    );
  }
  const bytes = await readSmallFile(place.absolute);
  // An edit of the whole file is refused when it is no longer what the session saw.
  await deps.sessionFiles?.note(session.id, place.absolute, { contentId: contentIdOf(bytes) });
  return { place, bytes };
}

function lookAt({ absolute }: WorkspacePath, given: string): Stats | undefined {
  try {
    return statSync(absolute);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new AppError("forbidden", `${given} cannot be read`, { cause: error });
  }
}

/** Names like the one that is missing, in its directory or the nearest one above that exists. */
async function closeNames(deps: Pick<WorkspaceDeps, "protectedPaths">, place: WorkspacePath): Promise<string> {
  const wanted = path.basename(place.absolute).toLowerCase();
  let directory = path.dirname(place.absolute);
  while (directory !== place.root && !(await isDirectory(directory))) directory = path.dirname(directory);
  const names = (await readdir(directory).catch(() => [])).slice(0, MAX_LISTED); // nothing to suggest then
  const relatives = names.map((name) =>
    path.relative(place.root, path.join(directory, name)).split(path.sep).join("/"),
  );
  const shown = await deps.protectedPaths.withoutHidden(place.root, relatives);
  const close = shown
    .map((relative) => ({ relative, distance: editDistance(wanted, path.basename(relative).toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(2, wanted.length / 2))
    .sort((a, b) => a.distance - b.distance || a.relative.localeCompare(b.relative))
    .slice(0, CLOSE_NAMES)
    .map(({ relative }) => relative);
  return close.length === 0 ? "" : `; did you mean ${close.join(", ")}?`;
}

async function isDirectory(absolute: string): Promise<boolean> {
  return lstat(absolute).then(
    (found) => found.isDirectory(),
    () => false, // looked for further up
  );
}
