import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { bubblewrap, bubblewrapProbe, type Invocation } from "./bubblewrap.ts";
import type { Confinement } from "./confinement.ts";
import { landlock, landlockProbe, type LandlockForm } from "./landlock.ts";
import { requireStarted } from "../require-started.ts";

/** How commands are kept in on this machine. */
export type Sandbox =
  | {
      readonly kind: "bubblewrap" | "landlock";
      /** Why a person must agree each time although commands are confined; undefined where all of it works. */
      readonly lacks?: string;
      /** The command as it runs confined. */
      readonly wrap: (of: Confinement, command: Invocation & { readonly cwd: string }) => Invocation;
    }
  | {
      readonly kind: "none";
      /** Why, for the person who is asked each time. */
      readonly why: string;
    };

/** How long a probe may take; a machine that needs longer has no sandbox. */
const PROBE_MS = 10_000;
const MAX_ERROR_CHARACTERS = 500;

/** The means, best first. */
export const SANDBOX_MEANS = ["bubblewrap", "landlock", "landlock-alone"] as const;
export type SandboxMeans = (typeof SANDBOX_MEANS)[number];

/**
 * Finds out once what this machine can do: bubblewrap, else landlock in namespaces,
 * else landlock alone, else nothing, with the reasons. What a probe could not do, no
 * command is ever started with.
 */
export async function chooseSandbox(
  options: { readonly means?: readonly SandboxMeans[]; readonly bubblewrap?: string } = {},
): Promise<Sandbox> {
  const { means = SANDBOX_MEANS, bubblewrap: program = "bwrap" } = options;
  const reasons: string[] = [];
  const record = await mkdtemp(path.join(tmpdir(), "quarry-sandbox-"));
  try {
    for (const each of means) {
      const probe = each === "bubblewrap" ? bubblewrapProbe(program) : landlockProbe(formOf(each), { record });
      const { isFine, error } = await tryOut(probe);
      if (isFine) return sandboxOf(each, program);
      reasons.push(`${each}: ${hintOf(error)}`);
    }
  } finally {
    await rm(record, { recursive: true, force: true });
  }
  return { kind: "none", why: reasons.length === 0 ? "it is turned off" : reasons.join("; ") };
}

function sandboxOf(means: SandboxMeans, program: string): Sandbox {
  if (means === "bubblewrap") return { kind: "bubblewrap", wrap: (of, command) => bubblewrap(program, of, command) };
  const form = formOf(means);
  const lacks = "the sandbox of this machine cannot hide secrets in the workspace or keep .git/hooks as they are";
  return {
    kind: "landlock",
    ...(form === "alone" ? { lacks } : {}),
    wrap: (of, command) => landlock(form, of, command),
  };
}

function formOf(means: SandboxMeans): LandlockForm {
  return means === "landlock-alone" ? "alone" : "namespaced";
}

/** What to do about it, where the error is one that others met before. */
function hintOf(error: string): string {
  if (/ENOENT/.test(error)) return "not installed";
  if (/RTM_NEWADDR|uid map|No permissions to create a new namespace|Operation not permitted/i.test(error)) {
    return "this machine forbids user namespaces (see kernel.apparmor_restrict_unprivileged_userns)";
  }
  return error.trim().split("\n")[0] ?? "it failed";
}

function tryOut({ program, args }: Invocation): Promise<{ readonly isFine: boolean; readonly error: string }> {
  return new Promise((resolve) => {
    const child = requireStarted(spawn(program, [...args], { stdio: ["ignore", "ignore", "pipe"], timeout: PROBE_MS }));
    let error = "";
    child.stderr.on("data", (chunk: Buffer) => {
      if (error.length < MAX_ERROR_CHARACTERS) error += chunk.toString();
    });
    child.once("error", (cause) => resolve({ isFine: false, error: String(cause) }));
    child.once("close", (code) =>
      resolve({ isFine: code === 0, error: error || `it ended with ${code ?? "a signal"}` }),
    );
  });
}
