import type { JsonObject } from "@bufbuild/protobuf";
import type { ToolContext } from "../tool.ts";
import type { WorkspaceDeps } from "../workspace/workspace-deps.ts";
import { fillChanges, remoteUrl, searchChanges, type ChangeReference, type GitChange } from "./git-changes.ts";

/** How many entries of the knowledge base one result carries. */
const MAX_KNOWLEDGE = 5;

/** What stands beside code in a result: knowledge, changes, and where the repository comes from. */
export async function relatedResults(
  deps: Pick<WorkspaceDeps, "code" | "protectedPaths">,
  root: string,
  asked: {
    readonly query: string;
    readonly isPrSearchOn: boolean;
    readonly references: readonly ChangeReference[];
  },
  context: Pick<ToolContext, "teamId" | "signal">,
): Promise<JsonObject> {
  const { code, protectedPaths } = deps;
  const { signal, teamId } = context;
  const { query } = asked;
  const changesDeps = { git: code.git, withoutHidden: protectedPaths.withoutHidden };
  const nothing = { changes: [], isLate: false };
  const isAsked = query.trim() !== "";
  const [url, filled, found, knowledge] = await Promise.all([
    remoteUrl(code.git, root, signal),
    asked.references.length === 0 ? nothing : fillChanges(changesDeps, root, asked.references, signal),
    asked.isPrSearchOn && isAsked ? searchChanges(changesDeps, root, query, signal) : nothing,
    isAsked ? (code.findKnowledge?.({ teamId, query, limit: MAX_KNOWLEDGE }, signal) ?? []) : [],
  ]);
  const given = new Set(filled.changes.map(({ sha }) => sha));
  const changes = [...filled.changes, ...found.changes.filter(({ sha }) => !given.has(sha))];
  return {
    ...(knowledge.length === 0
      ? {}
      : { knowledgeResults: knowledge.map((entry) => ({ title: entry.title, knowledge: entry.knowledge })) }),
    ...(changes.length === 0 ? {} : { prResults: changes.map(toPullRequest) }),
    ...(url === undefined ? {} : { gitRemoteUrl: url }),
    ...(filled.isLate || found.isLate ? { prHydrationTimedOut: true } : {}),
  };
}

/** The pull requests that a caller names, as its arguments have them. */
export function referencesOf(args: JsonObject): readonly ChangeReference[] {
  const given = args["prReferences"];
  return (Array.isArray(given) ? (given as JsonObject[]) : []).map(({ sha, prNumber, score }) => ({
    sha: typeof sha === "string" ? sha : "",
    prNumber: typeof prNumber === "number" ? prNumber : undefined,
    score: typeof score === "number" ? score : 0,
  }));
}

function toPullRequest(change: GitChange): JsonObject {
  const { sha, contents, score, title, body, prNumber, changedFiles, author, date } = change;
  return {
    sha,
    fullPrContents: contents,
    score,
    title,
    ...(body === "" ? {} : { summary: body.split("\n\n")[0] ?? "" }),
    ...(prNumber === undefined ? {} : { prNumber }),
    changedFiles: [...changedFiles],
    author,
    date,
  };
}
