import { lstatSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { AppError, isUrl } from "@quarry/base";

/** A place inside a workspace, by its real path: no link on the way leads out. */
export interface WorkspacePath {
  readonly absolute: string;
  /** The root it lies in, by its real path. */
  readonly root: string;
  /** Relative to the root, with slashes; empty for the root itself. */
  readonly relative: string;
}

/**
 * Finds a path of a workspace, relative to one of its roots, absolute, or a
 * file URL. What does not exist yet is judged by its deepest existing ancestor. With
 * `isLinkItself` a link at the end is the thing meant, not what it points to. Throws
 * `invalid_request` for a text that is no path and `forbidden` for one outside.
 */
// eslint-disable-next-line @typescript-eslint/require-await -- what is wrong with a path rejects, as its callers expect
export async function resolvePath(
  roots: readonly string[],
  given: string,
  options: { readonly isLinkItself?: boolean } = {},
): Promise<WorkspacePath> {
  const { inside } = findReal(roots, given, options);
  if (inside !== undefined) return inside;
  throw new AppError("forbidden", `${given} lies outside the workspace`);
}

/**
 * Where a path really leads: the place in a workspace, where it is one, and the
 * real path in any case. Throws as `resolvePath` does, but not for a path outside.
 */
export function findReal(
  roots: readonly string[],
  given: string,
  options: { readonly isLinkItself?: boolean } = {},
): { readonly inside: WorkspacePath | undefined; readonly absolute: string } {
  const isLinkItself = options.isLinkItself === true;
  const realRoots = toRealRoots(roots, isLinkItself);
  const candidates = candidatesOf(realRoots, given);
  const resolved = candidates.map((candidate) => toReal(candidate, isLinkItself));
  const places = resolved.map((absolute) => ({ absolute, inside: placeIn(realRoots, absolute) }));
  // A relative path may be meant in any root: the first where there is something, else the first it could be made in.
  for (const place of places) if (exists(place.absolute)) return place;
  return (
    places.find(({ inside }) => inside !== undefined) ?? { inside: undefined, absolute: places[0]?.absolute ?? given }
  );
}

/** Whether a path is a directory or lies below it, part by part. */
export function isWithin(directory: string, absolute: string): boolean {
  const relative = path.relative(directory, absolute);
  return relative === "" || (relative.split(path.sep)[0] !== ".." && !path.isAbsolute(relative));
}

/** A path below a root as tools show it. */
export function toRelative(root: string, absolute: string): string {
  return path.relative(root, absolute).split(path.sep).join("/");
}

function candidatesOf(roots: readonly string[], given: string): readonly string[] {
  if (given.includes("\0")) throw new AppError("invalid_request", "a path cannot hold a zero byte");
  if (given.startsWith("file:")) {
    if (!isUrl(given)) throw new AppError("invalid_request", `${given} is no file URL`);
    return [fileURLToPath(given)];
  }
  if (path.isAbsolute(given)) return [path.normalize(given)];
  return roots.map((root) => path.resolve(root, given));
}

/** A root may be a single file that a person let a call use; then its directory is where it lies. */
function placeIn(roots: readonly string[], absolute: string): WorkspacePath | undefined {
  const root = roots.find((each) => isWithin(each, absolute));
  if (root === undefined) return undefined;
  if (root !== absolute || root === roots[0] || isDirectory(root)) {
    return { absolute, root, relative: toRelative(root, absolute) };
  }
  return { absolute, root: path.dirname(root), relative: path.basename(root) };
}

function toRealRoots(roots: readonly string[], isLinkItself: boolean): readonly string[] {
  const [first, ...others] = roots;
  const real = others.map((root) => toReal(root, false));
  const links = isLinkItself ? others.map((root) => toReal(root, true)) : [];
  return [...(first === undefined ? [] : [toRealRoot(first)]), ...real, ...links];
}

function toRealRoot(root: string): string {
  try {
    return realpathSync.native(root);
  } catch (cause) {
    throw new AppError("unavailable", "the workspace's directory is not there", { cause });
  }
}

function isDirectory(absolute: string): boolean {
  return statSync(absolute, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The real path, of the deepest ancestor that exists, with the rest behind it. Looked up at once: a call asks several times, and a promise costs ten times as much. */
function toReal(absolute: string, isLinkItself: boolean): string {
  const rest: string[] = isLinkItself ? [path.basename(absolute)] : [];
  let at = isLinkItself ? path.dirname(absolute) : absolute;
  for (;;) {
    try {
      return path.join(realpathSync.native(at), ...rest);
    } catch (error) {
      if (!isMissing(error)) throw new AppError("invalid_request", "the path cannot be followed", { cause: error });
      // A link to nowhere exists, and writing through it would create its target.
      if (exists(at)) throw new AppError("forbidden", "the path goes through a broken link");
      const parent = path.dirname(at);
      if (parent === at) return absolute;
      rest.unshift(path.basename(at));
      at = parent;
    }
  }
}

function exists(absolute: string): boolean {
  try {
    return lstatSync(absolute, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // whatever keeps us from looking keeps us from using it
  }
}

/** Whether an error of the file system says that there is nothing. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
