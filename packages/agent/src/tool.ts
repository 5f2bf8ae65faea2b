import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import type { ClientSideToolV2 } from "@quarry/contract";
import type { ToolSession } from "@quarry/store";
import type { CallFacts, ToolTier } from "./call-facts.ts";
import type { RuleMatch } from "./policy-rule.ts";
import type { ToolError } from "./tool-error.ts";

/** Hints for people and models; policy does not read them. */
export interface ToolAnnotations {
  readonly title: string;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

/** What a tool knows of the call it runs or looks at. */
export interface ToolContext {
  readonly teamId: string;
  /** Where it works. Todos and terminals are not here: they may change while a call runs. */
  readonly session: ToolPlace;
  readonly toolCallId: string;
  /** What it belongs to: all calls that one answer of a model asked for have the same. */
  readonly turnId?: string;
  readonly signal: AbortSignal;
  /** The results of earlier calls of these tools in the session, newest first. */
  readonly earlierResults: (tools: readonly string[]) => Promise<readonly JsonObject[]>;
  /** Who asked for the call, as the audit log names them; not known where a machine far away runs it. */
  readonly caller?: string;
  /** The person's yes that the call runs by; left out for one that a rule allowed. */
  readonly grant?: { readonly answeredBy: string; readonly reason: string; readonly isEdited: boolean };
}

/** What a tool may know of its session. */
export type ToolPlace = Pick<ToolSession, "id" | "workspaceRoot" | "mode"> &
  Partial<Pick<ToolSession, "parentId" | "agentName" | "writeDirectories">> & {
    /** Real paths outside of the workspace that a person let this one call use. */
    readonly grantedPaths?: readonly string[];
  };

/** Who looks at calls and runs them: the tool itself in this process, or a machine far away. */
export interface Executor {
  /** Looks at a call without doing anything. Throws an AppError for a call that nobody could run. */
  readonly inspect: (args: JsonObject, context: ToolContext) => Promise<CallFacts>;
  readonly run: (args: JsonObject, context: ToolContext) => AsyncGenerator<ToolOutput, ToolEnd>;
}

/** What a tool says while it runs. */
export type ToolOutput =
  | { readonly kind: "progress"; readonly message: string; readonly fraction?: number }
  | { readonly kind: "output"; readonly channel: "stdout" | "stderr" | "partial-result"; readonly text: string };

/** How a run ended. `result` is the tool's result message as protobuf JSON. */
export type ToolEnd =
  { readonly kind: "succeeded"; readonly result: JsonObject } | { readonly kind: "failed"; readonly error: ToolError };

/** What a person chose and wrote when they were asked. */
export interface Review {
  readonly selectedOption: string;
  readonly feedbackText: string;
  readonly submitFeedbackAsNewMessage: boolean;
  readonly bubbleId: string;
}

/** What became of a call. */
export type CallOutcome = (
  | ToolEnd
  | { readonly kind: "rejected"; readonly reason: string; readonly review: Review | null }
  | { readonly kind: "cancelled" }
) & {
  /** aiserver.v1.ToolResultAttachments: what the model should hear beside the result. */
  readonly attachments?: JsonObject;
};

/** How agent.v1 asks about a tool and is answered, where it has messages for that. */
export interface ToolQuery {
  /** The kind of question for people and REST, such as `exa-search-request`. */
  readonly type: string;
  /** The member of agent.v1.InteractionQuery, and of its response. */
  readonly queryCase: string;
  readonly responseCase: string;
  /** The query's message, where it is not the arguments with their tool_call_id. */
  readonly toQuery?: (args: JsonObject, toolCallId: string) => JsonObject;
}

/** What a person said to a question that takes more than a yes. */
export interface GivenWords {
  readonly args: JsonObject | undefined;
  readonly reason: string;
}

/** All that a caller says of a call beside which tool it is. */
export interface SpokenCall {
  /** The name it was called by; empty when it was not. */
  readonly name: string;
  /** The typed member, where there was one. */
  readonly params: JsonObject | undefined;
  /** `raw_args`; empty when there were none. */
  readonly raw: JsonObject;
}

/** One tool. It knows neither policy nor approvals. */
export interface Tool extends Executor {
  readonly name: string;
  /** Other names that models use for it. */
  readonly aliases: readonly string[];
  /** UNSPECIFIED for a tool that only agent.v1 has. */
  readonly clientTool: ClientSideToolV2;
  readonly description: string;
  readonly tier: ToolTier;
  /** Set for a tool that works on files: it runs on the machine that holds the workspace. */
  readonly place?: "workspace";
  readonly annotations: ToolAnnotations;
  readonly args: DescMessage;
  readonly result: DescMessage;
  /** Draft-07, of the arguments by their JSON names. */
  readonly schema: JsonObject;
  /** Its members in ClientSideToolV2Call.params, ClientSideToolV2Result.result, agent.v1.ToolCall.tool and the exec messages. */
  readonly members: {
    readonly params: string;
    readonly result: string;
    readonly agentCall?: string;
    readonly exec?: { readonly args: string; readonly result: string };
  };
  readonly query?: ToolQuery;
  /** It keeps to modes that change nothing by itself, as a sandbox makes commands do: the gate need not refuse it there. */
  readonly obeysModes?: true;
  /** How long it may run unless the caller says otherwise; two minutes when left out. */
  readonly runMs?: number;
  /**
   * For a tool whose question only a person can answer, with more than a yes: what it
   * then runs with, and what its agent is told, where that does not wait. Throws
   * `invalid_request` for words that are no answer.
   */
  readonly takeAnswer?: (
    asked: { readonly args: JsonObject; readonly toolCallId: string },
    given: GivenWords,
  ) => { readonly args: JsonObject; readonly message?: string };
  /** Whether a person may change the arguments when asked. */
  readonly isEditable: boolean;
  /** The result message of a call that was refused; what the person chose is added where it has a place for that. */
  readonly refuse: (args: JsonObject, reason: string) => JsonObject;
  /**
   * Makes the arguments of a call whose typed member alone does not say them. Throws a ToolFailure where they do not
   * fit; what it returns is checked like any arguments.
   */
  readonly readCall?: (given: SpokenCall) => JsonObject;
  /** Turns the arguments of its twin in agent.v1 into its own, where they differ. */
  readonly fromAgentArgs?: (args: JsonObject) => JsonObject;
  /** What agent.v1 shows as the result; undefined shows none, as for a cancelled call of a tool without such a case. */
  readonly toAgentResult: (
    args: JsonObject,
    outcome: CallOutcome,
    /** The twin's own arguments as they came, where there are any: what only narrows the answer is not among its own. */
    asked?: JsonObject,
  ) => JsonObject | undefined;
  /** Which calls count as alike when a person says "for this session" or "always". */
  readonly alike: (args: JsonObject, facts: CallFacts) => RuleMatch;
}
