import type { Tool } from "../tool.ts";

/** A sub-agent's task as a runner gets it. */
export interface SubagentWork {
  readonly agentName: string;
  readonly title: string;
  readonly prompt: string;
  /** What kind of sub-agent, such as `explore`; empty for any. */
  readonly kind: string;
  /** Another model than the one that is set. */
  readonly model: string | undefined;
  /** Gives it all the turns there are. */
  readonly isMax: boolean;
  /** What it may use; the gate holds it to the same whatever it asks for. */
  readonly tools: readonly Tool[];
  /** Makes a call by the same rules as any other; waits for a person where one is asked. */
  readonly call: (wanted: {
    readonly id: string;
    readonly tool: string;
    readonly args: string;
    readonly turnId: string;
  }) => Promise<SubagentCallEnd>;
  /** What it was told on its way and has not read. */
  readonly takeMessages: () => Promise<readonly string[]>;
  /** Ends the task as done; false when something was said to it meanwhile that it must read first. */
  readonly complete: (summary: string) => Promise<boolean>;
}

/** What a sub-agent hears of a call. */
export interface SubagentCallEnd {
  readonly text: string;
  /** A person said that it should stop altogether. */
  readonly isAborted: boolean;
}

/** How a run ends that did not complete its task by itself. */
export type SubagentEnd =
  | { readonly kind: "completed" }
  | { readonly kind: "aborted"; readonly summary: string }
  | { readonly kind: "errored"; readonly summary: string };

/** Does a sub-agent's task. The built-in one thinks with a language model; another may run a program. */
export interface SubagentRunner {
  /** Rejects only when `signal` aborts or what it thinks with fails. */
  readonly run: (work: SubagentWork, signal: AbortSignal) => Promise<SubagentEnd>;
}
