import type { Clock } from "@quarry/base";
import type { Embedder, Llm } from "@quarry/models";
import type { Database } from "@quarry/store";
import type { Judges } from "../../runs/judges.ts";
import type { StoredPage } from "../../runs/websets-deps.ts";

/** What agent monitors need. */
export interface AgentMonitorDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
}

/** Which pages to look for. */
export interface AgentPageQuestion {
  readonly teamIds: readonly string[];
  readonly query: string;
  readonly limit: number;
  readonly includeDomains?: readonly string[];
  /** Only pages published between the two. */
  readonly published?: { readonly from: Date; readonly to: Date };
}

/** What their jobs need beside that. */
export interface AgentMonitorJobDeps extends AgentMonitorDeps {
  readonly llm: Llm | undefined;
  /** Absent is a normal state: words alone tell what short pages say. */
  readonly embed?: Embedder["embed"] | undefined;
  readonly judges: Pick<Judges, "fillCell" | "judgeCriterion">;
  /** Addresses of pages, best first. */
  readonly findPages: (question: AgentPageQuestion, signal: AbortSignal) => Promise<readonly string[]>;
  /**
   * Pages in the order of their addresses, without those that cannot be had: `now` fetches them anew where that is possible, a moment
   * gives them as they were stored then.
   */
  readonly readPages: (
    place: {
      readonly teamIds: readonly string[];
      readonly urls: readonly string[];
      readonly asOf: "now" | "stored" | Date;
    },
    signal: AbortSignal,
  ) => Promise<readonly StoredPage[]>;
}
