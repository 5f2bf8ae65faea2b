import { realpath } from "node:fs/promises";
import path from "node:path";
import { AppError } from "@quarry/base";
import type { ToolPlace } from "../tool.ts";
import type { ProtectedPaths } from "./protected-paths.ts";
import { findReal, isWithin } from "./resolve-path.ts";

/** What holds for paths outside of the roots where a person can be asked about them. */
export interface OutsidePlaces {
  /** Directories that nobody is even asked about, such as the server's own. */
  readonly hidden: readonly string[];
  /** Nobody is asked: what is not free is refused. */
  readonly isClosed?: boolean;
  /** Directories that a session's reading tools may look into unasked: what its own commands left there. */
  readonly freeOf: (session: ToolPlace) => readonly string[];
}

/** The paths of a call that lie outside of its workspace, by their real places. */
export interface FoundOutside {
  /** To be asked about. */
  readonly asked: readonly string[];
  /** To be used unasked. */
  readonly free: readonly string[];
}

/**
 * Finds which of the named paths leave the workspace. Throws `forbidden` for one
 * that nobody may reach, whatever a person says; where no person can be asked, none is
 * found and the path itself is refused when it is resolved.
 */
export async function findOutside(
  deps: {
    readonly rootsOf: (session: ToolPlace) => readonly string[];
    readonly protectedPaths?: ProtectedPaths;
    readonly outside?: OutsidePlaces;
  },
  session: ToolPlace,
  named: readonly string[],
  options: { readonly isLinkItself: boolean; readonly isRead: boolean },
): Promise<FoundOutside> {
  const { outside, protectedPaths } = deps;
  if (outside === undefined || named.length === 0) return { asked: [], free: [] };
  const roots = deps.rootsOf({ ...session, grantedPaths: [] });
  const places = named.map((each) => findReal(roots, each, options));
  const beyond = places.flatMap(({ inside, absolute }) => (inside === undefined ? [absolute] : []));
  if (beyond.length === 0) return { asked: [], free: [] };
  const freeDirectories = await Promise.all((options.isRead ? outside.freeOf(session) : []).map(toRealDirectory));
  const free = beyond.filter((absolute) => freeDirectories.some((directory) => isWithin(directory, absolute)));
  const asked = outside.isClosed === true ? [] : beyond.filter((absolute) => !free.includes(absolute));
  const hidden = await Promise.all(outside.hidden.map(toRealDirectory));
  for (const absolute of asked) {
    if (hidden.some((directory) => isWithin(directory, absolute) || isWithin(absolute, directory))) {
      throw new AppError("forbidden", `${absolute} lies outside the workspace, where the server keeps its own data`);
    }
    const { root } = path.parse(absolute);
    const relative = path.relative(root, absolute).split(path.sep).join("/");
    if ((await protectedPaths?.isHidden(root, relative)) === true) {
      throw new AppError("forbidden", `${absolute} is kept from tools by an ignore file or as a secret`);
    }
  }
  return { asked, free };
}

async function toRealDirectory(directory: string): Promise<string> {
  return realpath(directory).catch(() => directory); // not made yet: then nothing leads there by another name
}
