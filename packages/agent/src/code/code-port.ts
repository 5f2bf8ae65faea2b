import type { CodeIndexes } from "./code-indexes.ts";
import type { Git } from "./git.ts";

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
  /** Absent where the knowledge base is on another machine. */
  readonly findKnowledge?: FindKnowledge;
  readonly close: () => Promise<void>;
}
