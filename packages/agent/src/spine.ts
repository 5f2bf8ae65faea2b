import type { JsonObject } from "@bufbuild/protobuf";
import type { Clock } from "@quarry/base";
import type { acceptToolCall, Approval, Database, endToolCall, takeGrant, ToolCall, ToolSession } from "@quarry/store";
import type { Attach } from "./attachments/attach.ts";
import type { AskHooks } from "./ask-hooks.ts";
import type { CallWatch } from "./call-changes.ts";
import type { CallContexts } from "./call-contexts.ts";
import type { PolicyFile, PolicyFileReader } from "./policy-files.ts";
import type { ToolRegistry } from "./tool-registry.ts";
import type { CallOutcome, Executor, Tool, ToolOutput } from "./tool.ts";
import type { GivenCall } from "./validate-call.ts";

/** Who asks, as the audit log names them. */
export interface ToolCaller {
  readonly teamId: string;
  readonly name: string;
}

/** One tool call as a door hands it over. */
export interface CallRequest {
  readonly caller: ToolCaller;
  readonly session: ToolSession;
  /** Names the call within its session: the same again is the same call. */
  readonly toolCallId: string;
  readonly given: GivenCall;
  /** Hidden from the inbox, never from policy or the log. */
  readonly isInternal: boolean;
  /** How long the tool may run; the tool's own limit unless given. */
  readonly timeoutMs: number | undefined;
  /** The turn of the model that it belongs to; a turn of its own unless given. */
  readonly turnId?: string | undefined;
}

/** What happens to a call on its way. */
export type CallEvent =
  | { readonly kind: "accepted"; readonly call: ToolCall; readonly isRepeated: boolean }
  | { readonly kind: "approval-needed"; readonly approval: Approval }
  | ToolOutput;

/** A call that is over. There is no row for one that could not be understood, or was denied before it was kept. */
export interface EndedCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly outcome: CallOutcome;
  readonly call: ToolCall | undefined;
}

/** What the stages of a call need from outside. */
export interface SpineDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly registry: ToolRegistry;
  readonly contexts: CallContexts;
  /** Where a tool runs in a session. */
  readonly executorOf: (tool: Tool, session: ToolSession) => Executor;
  /** Adds what a model should hear beside the outcome. */
  readonly attach: Attach;
  /** What programs of the owner's say of a call, before the rules. */
  readonly askHooks: AskHooks;
  readonly policyFiles: PolicyFileReader;
  readonly filesOf: (session: ToolSession) => readonly PolicyFile[];
  /** Who answers when nobody can: unset waits for a person. */
  readonly headless: "approve" | "deny" | undefined;
  /** Names this process in the rows of the calls it runs. */
  readonly runnerId: string;
  readonly watchCall: (callId: string) => CallWatch;
  /** The store's own; a proof hands in broken ones to see that it notices. */
  readonly store: {
    readonly acceptToolCall: typeof acceptToolCall;
    readonly takeGrant: typeof takeGrant;
    readonly endToolCall: typeof endToolCall;
  };
}

/** How long a question stays open, and a grant usable. */
export const APPROVAL_TTL_MS = 24 * 3_600_000;
/** A running call whose process was not heard of for so long counts as lost. */
export const LEASE_MS = 30_000;
/** How long a tool may run unless the caller says otherwise. */
export const DEFAULT_RUN_MS = 120_000;
