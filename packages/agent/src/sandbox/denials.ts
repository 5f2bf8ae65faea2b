import type { SandboxPolicy } from "./sandbox-policy.ts";

/** Exit codes that say how a command was called or found, not what it met. */
const USAGE_CODES = new Set([0, 2, 126, 127]);
const FILE_DENIAL = /read-only file system|operation not permitted|permission denied|EROFS|EACCES|EPERM/i;
const NETWORK_DENIAL =
  /network is unreachable|could not resolve host|temporary failure in name resolution|name or service not known|no route to host|EAI_AGAIN|ENETUNREACH|failed to lookup address|unable to resolve|bad address/i;
/** The words stand near the end: what a program said long before it failed is not why. */
const LOOKED_AT = 8_000;

/** Says in a sentence for the model that the sandbox was in the way, when everything speaks for that. */
export function describeDenial(policy: SandboxPolicy, exitCode: number, output: string): string | undefined {
  if (policy.type === "none" || USAGE_CODES.has(exitCode)) return undefined;
  const end = output.slice(-LOOKED_AT);
  if (!policy.hasNetwork && NETWORK_DENIAL.test(end)) {
    return "The sandbox blocked this: the command has no network. Go on without it, or run it again with requestedSandboxPolicy.networkAccess true, which asks the person.";
  }
  if (!FILE_DENIAL.test(end)) return undefined;
  const where =
    policy.type === "workspace-readonly"
      ? "nothing in the workspace can be written in this mode"
      : "only the workspace and the temporary directory can be written, and secrets, ignored files, .git/hooks and .git/config cannot be touched";
  return `The sandbox blocked this: ${where}. Work inside of that, or run it again with requestedSandboxPolicy.additionalReadwritePaths or type TYPE_INSECURE_NONE, which asks the person.`;
}
