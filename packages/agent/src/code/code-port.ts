import type { CodeIndexes } from "./code-indexes.ts";
import type { CodeThread } from "./create-code-thread.ts";
import type { Git } from "./git.ts";
import type { FileLints } from "./lints/create-lints.ts";
import type { PythonService } from "./python/python-service.ts";

/** An entry of the knowledge base. */
export interface KnowledgeEntry {
  readonly title: string;
  readonly knowledge: string;
}

/** Finds entries of a team's knowledge base that are about a question, best first. */
export type FindKnowledge = (
  asked: { readonly teamId: string; readonly query: string; readonly limit: number },
  signal: AbortSignal,
) => Promise<readonly KnowledgeEntry[]>;

/** What knows the code of a workspace. Nothing is loaded before it is first asked. */
export interface CodeTools {
  readonly indexes: CodeIndexes;
  readonly git: Git;
  /** TypeScript and JavaScript. */
  readonly typescript: CodeThread;
  readonly python: PythonService;
  readonly lints: FileLints;
  /** Absent where the knowledge base is on another machine. */
  readonly findKnowledge?: FindKnowledge;
  readonly close: () => Promise<void>;
}
