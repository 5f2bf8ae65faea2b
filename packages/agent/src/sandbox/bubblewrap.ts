import type { Confinement } from "./confinement.ts";
import { mountsOf, type Mount } from "./mounts.ts";

/** How a program is started. */
export interface Invocation {
  readonly program: string;
  readonly args: readonly string[];
}

/** Namespaces of its own, no privileges, and an end with the process that started it: also when that is killed. */
const ISOLATION: readonly string[] = [
  "--unshare-user",
  "--disable-userns",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--cap-drop",
  "ALL",
  "--die-with-parent",
];
const MACHINE: readonly string[] = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];

/** A run that does nothing: whether it works says whether this machine lets us. */
export function bubblewrapProbe(program: string): Invocation {
  return { program, args: [...ISOLATION, "--unshare-net", ...MACHINE, "--", "/bin/sh", "-c", ":"] };
}

/** A command in its sandbox. */
export function bubblewrap(
  program: string,
  of: Confinement,
  command: Invocation & { readonly cwd: string },
): Invocation {
  const mounts = mountsOf(of);
  const hidden = mounts.filter(({ kind }) => kind === "hide-directory");
  return {
    program,
    args: [
      ...ISOLATION,
      ...(of.hasNetwork ? [] : ["--unshare-net"]),
      ...MACHINE,
      ...mounts.flatMap(optionOf),
      // Only now: what lies inside of them had to be mounted first.
      ...hidden.flatMap(({ target }) => ["--remount-ro", target]),
      "--chdir",
      command.cwd,
      "--",
      command.program,
      ...command.args,
    ],
  };
}

function optionOf({ kind, source, target }: Mount): readonly string[] {
  switch (kind) {
    case "hide-directory":
      return ["--tmpfs", target];
    case "hide-file":
      return ["--ro-bind", "/dev/null", target];
    case "show":
      return ["--ro-bind-try", source ?? target, target];
    case "write":
      return ["--bind", source ?? target, target];
  }
}
