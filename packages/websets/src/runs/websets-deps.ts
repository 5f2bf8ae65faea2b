import type { Clock } from "@quarry/base";
import type { ImportWire, PriceList, WebsetWire } from "@quarry/contract";
import type { Embedder, Llm } from "@quarry/models";
import { SHARED_TEAM, type Database, type Queryable, type Webset } from "@quarry/store";
import type { PageText } from "../evidence.ts";
import type { Judges } from "./judges.ts";

/** A stored page as units read it, with the version of the text that quotes point into. */
export interface StoredPage extends PageText {
  readonly extractorVersion: string;
}

/** What to look for in the index. */
export interface FindQuestion {
  readonly teamIds: readonly string[];
  readonly query: string;
  readonly limit: number;
  readonly includeDomains?: readonly string[];
  readonly excludeDomains?: readonly string[];
  /** `auto` for candidates, `fast` for further pages of one entity. */
  readonly plan: "auto" | "fast";
}

/** What a webset shows of work that is not its own. */
export interface LivingParts {
  readonly imports: readonly ImportWire[];
  readonly monitors: WebsetWire["monitors"];
}

/** What websets need from outside. */
export interface WebsetsDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Absent is a normal state: rules and retrieval do the work. */
  readonly llm: Llm | undefined;
  /** Absent is a normal state too: words alone tell what short pages say. */
  readonly embed?: Embedder["embed"] | undefined;
  readonly judges: Judges;
  readonly prices: PriceList;
  readonly newId: (prefix: string) => string;
  /** Addresses of pages, best first. */
  readonly find: (question: FindQuestion, signal: AbortSignal) => Promise<readonly string[]>;
  /** Pages as they are stored, in the order of the addresses; with `fetch` those that are missing are fetched. What cannot be had is left out. */
  readonly readPages: (
    place: { readonly teamIds: readonly string[]; readonly urls: readonly string[]; readonly fetch: boolean },
    signal: AbortSignal,
  ) => Promise<readonly StoredPage[]>;
  /** The page a person looks at for a webset. */
  readonly dashboardUrl: (websetId: string) => string;
  /** Told of units that were given up, for the log; must not throw. */
  readonly onGivenUp?: (unit: {
    readonly kind: "search" | "verdict" | "cell" | "import";
    readonly id: string;
    readonly error: string;
  }) => void;
  /** Imports and monitors of websets, by the webset's id. */
  readonly readLiving: (db: Queryable, websets: readonly Webset[]) => Promise<ReadonlyMap<string, LivingParts>>;
}

/** Whose pages a webset reads: its team's own first, then everyone's. */
export function teamsOfWebset({ teamId }: { readonly teamId: string }): readonly string[] {
  return [teamId, SHARED_TEAM];
}
