import { createRequire } from "node:module";
import type { Invocation } from "./bubblewrap.ts";
import type { Confinement } from "./confinement.ts";
import { LANDLOCK_PROGRAM } from "./landlock-program.ts";
import { mountsOf, type Mount } from "./mounts.ts";

/** What the launcher has to do before it becomes the command. */
interface LandlockOrder {
  readonly koffi: string;
  /** Numbers of system calls on this kind of processor. */
  readonly calls: Readonly<Record<"landlock" | "capset" | "socket" | "ioUringSetup", number>>;
  /** Whether it was started in namespaces of its own, in which it can hide files. */
  readonly isNamespaced: boolean;
  readonly mounts: readonly Mount[];
  readonly hidden: readonly string[];
  readonly writable: readonly string[];
  readonly hasNetwork: boolean;
  readonly cwd: string;
  readonly args: readonly string[];
}

/** Landlock needs namespaces beside it to hide files; alone it confines writing, and a person is asked each time. */
export type LandlockForm = "namespaced" | "alone";

const CALLS: Readonly<Partial<Record<string, LandlockOrder["calls"]>>> = {
  x64: { landlock: 444, capset: 126, socket: 41, ioUringSetup: 425 },
  arm64: { landlock: 444, capset: 91, socket: 198, ioUringSetup: 425 },
};

/** A run that does nothing, with everything that a command's run does. */
export function landlockProbe(form: LandlockForm, options: { readonly record: string }): Invocation {
  const of: Confinement = {
    shown: [],
    writable: [],
    readonly: [],
    maskedDirectories: [],
    maskedFiles: [],
    tmp: undefined,
    record: options.record,
    hasNetwork: false,
  };
  return landlock(form, of, { program: "/bin/sh", args: ["-c", ":"], cwd: "/" });
}

/** A command behind the launcher. Throws on a processor whose calls are not known, which a probe finds out. */
export function landlock(
  form: LandlockForm,
  of: Confinement,
  command: Invocation & { readonly cwd: string },
): Invocation {
  const calls = CALLS[process.arch];
  if (calls === undefined) throw new Error(`landlock is not known on ${process.arch}`);
  const isNamespaced = form === "namespaced";
  const order: LandlockOrder = {
    koffi: createRequire(import.meta.url).resolve("koffi"),
    calls,
    isNamespaced,
    mounts: mountsOf(of),
    hidden: [...of.maskedDirectories, ...of.maskedFiles],
    writable: [
      ...of.writable,
      ...(of.tmp === undefined ? [] : isNamespaced ? ["/tmp", "/var/tmp"] : [of.tmp]),
      of.record,
    ],
    hasNetwork: of.hasNetwork,
    cwd: command.cwd,
    // In a process namespace the first process ignores signals: a shell takes that place.
    args: isNamespaced
      ? ["/bin/sh", "-c", '"$@"; exit $?', "sh", command.program, ...command.args]
      : [command.program, ...command.args],
  };
  const launcher = [process.execPath, "-e", LANDLOCK_PROGRAM, JSON.stringify(order)];
  if (!isNamespaced) return { program: launcher[0] ?? "", args: launcher.slice(1) };
  return {
    program: "unshare",
    args: [
      "--user",
      "--map-current-user",
      "--keep-caps",
      "--mount",
      "--ipc",
      "--pid",
      "--fork",
      "--kill-child=KILL",
      "--mount-proc",
      ...(of.hasNetwork ? [] : ["--net"]),
      ...launcher,
    ],
  };
}
