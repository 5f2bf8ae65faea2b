import type { WorkflowMade } from "@quarry/store";
import type { WorkflowPorts } from "./ports.ts";

/** JSON that a step may come to. */
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain | undefined };

/** The event that tells of a signal. */
export const SIGNAL_EVENT = "workflow.signal";
/** The kind of resource it is about; its id is the name under which runs find each other. */
export const SIGNAL_RESOURCE = "semantic_cron";

/** Something to tell the team of when a run ends: with the end, or not at all. */
export interface FlowSignal {
  readonly name: string;
  readonly data: { readonly [key: string]: Plain };
}

/** What a workflow comes to. */
export type FlowResult = Readonly<Record<string, Plain | undefined>> & {
  /** One line for someone in a hurry. */
  readonly _summary: string;
};

/**
 * A run of a workflow, in the hands of its function. The function is run from its beginning after every pause, restart or
 * crash: what a step came to is remembered under its name, so that a step is done once; everything outside steps must be
 * the same each time.
 */
export interface Flow extends WorkflowPorts {
  readonly teamId: string;
  readonly taskId: string;
  readonly signal: AbortSignal;
  /** Does something once. `made` names what it set going that a cancel must stop. */
  readonly step: <T extends Plain>(
    name: string,
    work: (signal: AbortSignal) => Promise<T>,
    options?: { readonly made?: (result: T) => readonly WorkflowMade[] },
  ) => Promise<T>;
  /**
   * Waits until `look` gives something, looking again every so often; undefined when the time is over. Nobody waits in
   * between: the run ends and goes on later.
   */
  readonly waitFor: <T extends Plain>(
    name: string,
    limits: { readonly everyMs: number; readonly limitMs: number },
    look: (signal: AbortSignal) => Promise<T | undefined>,
  ) => Promise<T | undefined>;
  /** Shows how far the run is. */
  readonly tell: (progress: {
    readonly step: string;
    readonly completed: number;
    readonly total: number;
    readonly message?: string;
    readonly partialResult?: FlowResult;
  }) => Promise<void>;
  /** The time of the task's beginning, the same in every run of it. */
  readonly begunAt: Date;
  /** What the last run under a name left. */
  readonly recall: (name: string) => Promise<Plain | undefined>;
  readonly remember: (name: string, value: Plain) => Promise<void>;
  /** Has this told, once, together with the end of the run. */
  readonly announce: (signal: FlowSignal) => void;
}
