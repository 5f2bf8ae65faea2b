import path from "node:path";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** What a command may touch: nothing is kept from it, the workspace may be written, or only read. */
export type SandboxType = "none" | "workspace-readwrite" | "workspace-readonly";

/** The limits of one command. */
export interface SandboxPolicy {
  readonly type: SandboxType;
  readonly hasNetwork: boolean;
  /** Absolute, beside the workspace. */
  readonly readwritePaths: readonly string[];
  /** Absolute, inside the workspace or what is hidden: shown, never written. */
  readonly readonlyPaths: readonly string[];
  readonly isGitReadonly: boolean;
  readonly isTmpReadonly: boolean;
}

/** The most that the owner of a machine lets a command have, whatever is asked for and agreed to. */
export interface SandboxCeiling {
  readonly type: SandboxType;
  readonly hasNetwork: boolean;
}

/** Without a word of the owner, a person may agree to anything. */
export const OPEN_CEILING: SandboxCeiling = { type: "none", hasNetwork: true };

/** What a command gets that asks for nothing. */
export const DEFAULT_POLICY: SandboxPolicy = {
  type: "workspace-readwrite",
  hasNetwork: false,
  readwritePaths: [],
  readonlyPaths: [],
  isGitReadonly: false,
  isTmpReadonly: false,
};

const STRICTNESS: readonly SandboxType[] = ["none", "workspace-readwrite", "workspace-readonly"];
const WIRE_TYPES: Readonly<Record<SandboxType, string>> = {
  none: "TYPE_INSECURE_NONE",
  "workspace-readwrite": "TYPE_WORKSPACE_READWRITE",
  "workspace-readonly": "TYPE_WORKSPACE_READONLY",
};

/**
 * The policy that applies: the stricter of what was asked for and the owner's
 * ceiling; in the modes plan and ask the workspace is read-only whatever either says.
 */
export function effectivePolicy(
  requested: JsonValue | undefined,
  limits: { readonly ceiling: SandboxCeiling; readonly mode: string; readonly cwd: string },
): SandboxPolicy {
  const asked = readPolicy(requested, limits.cwd);
  const modal: SandboxType = limits.mode === "agent" ? "none" : "workspace-readonly";
  const type = [asked.type, limits.ceiling.type, modal].reduce(stricter);
  if (type === "none") return { ...DEFAULT_POLICY, type, hasNetwork: true };
  const isReadonly = type === "workspace-readonly";
  return {
    ...asked,
    type,
    // A command without a sandbox has the network; brought down to one, it has it when it asked for it.
    hasNetwork: asked.hasNetwork && limits.ceiling.hasNetwork,
    readwritePaths: isReadonly ? [] : asked.readwritePaths,
  };
}

/** Why a person must agree to a policy each time: it gives more than a command gets by itself. */
export function looserReasons(policy: SandboxPolicy): readonly string[] {
  if (policy.type === "none") return ["it asks to run without a sandbox"];
  return [
    ...(policy.hasNetwork ? ["it asks for the network"] : []),
    ...(policy.readwritePaths.length === 0 ? [] : [`it asks to write to ${policy.readwritePaths.join(", ")}`]),
    ...(policy.readonlyPaths.length === 0 ? [] : [`it asks to read ${policy.readonlyPaths.join(", ")}`]),
  ];
}

/** The policy as agent.v1 shows it. */
export function toPolicyJson(policy: SandboxPolicy): JsonObject {
  return {
    type: WIRE_TYPES[policy.type],
    networkAccess: policy.hasNetwork,
    ...(policy.hasNetwork ? {} : { networkPolicy: { defaultAction: "DEFAULT_ACTION_DENY" } }),
    additionalReadwritePaths: [...policy.readwritePaths],
    additionalReadonlyPaths: [...policy.readonlyPaths],
    blockGitWrites: policy.isGitReadonly,
    disableTmpWrite: policy.isTmpReadonly,
  };
}

/** What a caller hears whose list of hosts is not kept; undefined when there is nothing to say. */
export function unkeptNetwork(requested: JsonValue | undefined, policy: SandboxPolicy): string | undefined {
  if (typeof requested !== "object" || requested === null || Array.isArray(requested)) return undefined;
  const isListed = requested["networkPolicy"] !== undefined && requested["networkAccess"] === true;
  if (!isListed) return undefined;
  return policy.hasNetwork
    ? "No sandbox holds the command, so the list of hosts it may reach is not kept: it reaches all"
    : "A list of hosts cannot be kept by a sandbox here, so the command has no network at all";
}

/**
 * agent.v1's message as protobuf JSON. Of a network policy only "no" can be kept:
 * a list of hosts cannot be enforced here, so with one there is no network at all.
 */
function readPolicy(requested: JsonValue | undefined, cwd: string): SandboxPolicy {
  if (typeof requested !== "object" || requested === null || Array.isArray(requested)) return DEFAULT_POLICY;
  const wanted = requested["type"];
  const type = STRICTNESS.find((each) => WIRE_TYPES[each] === wanted) ?? DEFAULT_POLICY.type;
  const paths = (name: string): readonly string[] => {
    const value = requested[name];
    const texts = Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
    return texts.filter((each) => each !== "").map((each) => path.resolve(cwd, each));
  };
  const isOpen = requested["networkPolicy"] === undefined && requested["networkPolicyStrict"] !== true;
  return {
    type,
    hasNetwork: requested["networkAccess"] === true && isOpen,
    readwritePaths: paths("additionalReadwritePaths"),
    readonlyPaths: paths("additionalReadonlyPaths"),
    isGitReadonly: requested["blockGitWrites"] === true,
    isTmpReadonly: requested["disableTmpWrite"] === true,
  };
}

function stricter(one: SandboxType, other: SandboxType): SandboxType {
  return STRICTNESS.indexOf(one) >= STRICTNESS.indexOf(other) ? one : other;
}
