import { readlinkSync } from "node:fs";
import path from "node:path";
import type { Confinement } from "./confinement.ts";

/** One change to the tree of files that a confined command sees; a later one lies on top of an earlier one. */
export interface Mount {
  readonly kind: "hide-directory" | "hide-file" | "show" | "write";
  /** What is shown or written; the target itself unless given. */
  readonly source?: string;
  readonly target: string;
}

const TEMPORARY: readonly string[] = ["/tmp", "/var/tmp"];

/** The mounts of a command, in order: the machine's secrets away, then the workspace, then what is hidden in that. */
export function mountsOf(of: Confinement): readonly Mount[] {
  const places = [...of.shown, ...of.writable, ...of.readonly];
  const isInside = (at: string): boolean => places.some((each) => at.startsWith(`${each}/`));
  const hide = (isThere: (at: string) => boolean): readonly Mount[] => [
    ...of.maskedDirectories.filter(isThere).map((target): Mount => ({ kind: "hide-directory", target })),
    ...of.maskedFiles.filter(isThere).map((target): Mount => ({ kind: "hide-file", target })),
  ];
  const nameServers = resolverFile();
  const { tmp } = of;
  // What lies in the temporary directories of others is gone when ours take their place.
  const isCovered = (at: string): boolean => /^\/(var\/)?tmp\//.test(at);
  return [
    ...hide((at) => !isInside(at) && !isCovered(at)),
    ...(nameServers === undefined ? [] : [{ kind: "show", target: nameServers } as const]),
    ...TEMPORARY.map((target): Mount =>
      tmp === undefined ? { kind: "hide-directory", target } : { kind: "write", source: tmp, target },
    ),
    ...of.shown.map((target): Mount => ({ kind: "show", target })),
    ...of.writable.map((target): Mount => ({ kind: "write", target })),
    ...of.readonly.map((target): Mount => ({ kind: "show", target })),
    ...hide(isInside),
    { kind: "write", target: of.record },
  ];
}

/** Where /etc/resolv.conf points, when that lies among the sockets of daemons, which are hidden. */
function resolverFile(): string | undefined {
  try {
    const target = path.resolve("/etc", readlinkSync("/etc/resolv.conf"));
    return target.startsWith("/run/") ? target : undefined;
  } catch {
    return undefined; // no link, or none at all: then nothing of it is hidden
  }
}
