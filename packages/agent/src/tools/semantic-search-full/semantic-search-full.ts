import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import type { IndexedChunk } from "../../code/code-index.ts";
import type { CodeSearch } from "../../code/code-indexes.ts";
import { wantedOf } from "../../code/given-results.ts";
import { globFilter } from "../../code/glob-filter.ts";
import { referencesOf, relatedResults } from "../../code/related-results.ts";
import { missing, showCode, shownPath, type WantedCode } from "../../code/show-code.ts";
import type { CallOutcome, Tool, ToolContext, ToolOutput } from "../../tool.ts";
import { resolvePath } from "../../workspace/resolve-path.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { failureText, numberOf, textOf, textsOf, workspaceTool } from "../workspace-tool.ts";

const DEFAULT_RESULTS = 10;
const MAX_RESULTS = 30;
/** How many results are ranked before the best are taken. */
const RANKED = 200;
/** What a caller's own score of a result it gave adds at most: a hint, since its scale is not ours. */
const GIVEN_WEIGHT = 0.1;
const MAX_TOO_LARGE = 10;

type Deps = Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "gitContext" | "code">;

/** aiserver.v1 SemanticSearchFull: code by meaning and by words, as the files are now. Lines count from 1. */
export function semanticSearchFullTool(deps: Deps): Tool {
  return workspaceTool(deps, {
    name: "semantic_search_full",
    aliases: ["codebase_search", "semantic_search"],
    clientTool: ClientSideToolV2.SEMANTIC_SEARCH_FULL,
    title: "Search the code by meaning",
    description: "Finds code of the workspace by meaning and by words: ranges of files, best first (10, at most 30).",
    tier: "read",
    messages: "SemanticSearchFull",
    properties: {
      query: {
        type: "string",
        minLength: 1,
        maxLength: 4_000,
        description: "What to look for, as a question or in words",
      },
      includePattern: { type: "string", description: "Only files that match, such as src/**/*.ts; several by commas" },
      excludePattern: { type: "string", description: "Not files that match; several by commas" },
      topK: { type: "integer", minimum: 0, description: "How many results; 10 when 0, at most 30" },
      prReferences: { type: "array", items: { type: "object" }, description: "Pull requests or commits to fill in" },
      prSearchOn: { type: "boolean", description: "Also search commit messages and diffs" },
      explanation: { type: "string", description: "Why this is looked for; kept with the call" },
      codeResults: { type: "array", items: { type: "object" }, description: "Results to rank with the others" },
      repositoryInfo: {
        type: "object",
        // It says which index of a hosted service to ask; here the workspace's own index answers.
        description: "Accepted, no effect",
      },
    },
    required: ["query"],
    pathsOf: () => ["."],
    stream: (args, context) => search(deps, args, context),
    agent: { member: "semSearchToolCall", fromArgs, toResult },
  });
}

async function* search(deps: Deps, args: JsonObject, context: ToolContext): AsyncGenerator<ToolOutput, JsonObject> {
  const query = textOf(args, "query");
  if (query.trim() === "") throw new AppError("invalid_request", "query: say what to look for");
  const roots = deps.rootsOf(context.session);
  const places = await Promise.all(roots.map((root) => resolvePath([root], ".")));
  const realRoots = places.map(({ root }) => root);
  const isWanted = globFilter(textOf(args, "includePattern"), textOf(args, "excludePattern"));
  const asked = { query, limit: RANKED, isWanted };
  const searches = await Promise.all(
    realRoots.map(async (root) => ({ root, ...(await deps.code.indexes.search(root, asked, context.signal)) })),
  );
  for (const note of new Set(searches.flatMap(({ notes }) => notes))) yield { kind: "progress", message: note };
  const files = searches.reduce((sum, { index }) => sum + index.fileCount, 0);
  yield { kind: "progress", message: `Searched ${files} files` };

  const limit = Math.min(numberOf(args, "topK") || DEFAULT_RESULTS, MAX_RESULTS);
  const given = wantedOf(args).filter(({ path }) => isWanted(path));
  const wanted = rankTogether(realRoots, searches, given).slice(0, limit);
  const shown = await showCode(deps, wanted, context);
  const tooLarge = searches
    .flatMap(({ root, index }) => index.tooLarge.map(({ relative }) => ({ root, relative })))
    .filter(({ relative }) => isWanted(relative))
    .slice(0, MAX_TOO_LARGE)
    .map(({ root, relative }) => missing(shownPath(realRoots, root, relative), { reason: "TOO_LARGE" }));
  const [firstRoot = "."] = realRoots;
  const related = await relatedResults(
    deps,
    firstRoot,
    { query, isPrSearchOn: args["prSearchOn"] === true, references: referencesOf(args) },
    context,
  );
  return {
    codeResults: [...shown.codeResults],
    allFiles: [...shown.allFiles],
    missingFiles: [...shown.missingFiles, ...tooLarge],
    ...related,
  };
}

/** What was found and what the caller gave, in one order: a given range counts as the chunk it overlaps most. */
function rankTogether(
  roots: readonly string[],
  searches: readonly (CodeSearch & { readonly root: string })[],
  given: readonly WantedCode[],
): readonly WantedCode[] {
  const found = searches.flatMap(({ root, found: chunks, index }) =>
    chunks.map(({ chunk, score }) =>
      toWanted(shownPath(roots, root, chunk.relative), chunk, {
        score,
        signatureLines: index.symbolsOf(chunk.relative).map(({ nameLine }) => nameLine),
      }),
    ),
  );
  const rest = given.flatMap((one) => {
    const bonus = GIVEN_WEIGHT * Math.max(0, Math.min(1, one.score));
    const at = found.findIndex((other) => overlaps(other, one));
    const same = found[at];
    if (same === undefined) return [{ ...one, score: bonus }];
    found[at] = { ...same, score: Math.min(1, same.score + bonus) };
    return [];
  });
  return [...found, ...rest].sort((a, b) => b.score - a.score);
}

function toWanted(
  path: string,
  { startLine, endLine }: IndexedChunk,
  rest: Pick<WantedCode, "score" | "signatureLines">,
): WantedCode {
  return { path, lines: { start: startLine, end: endLine }, ...rest };
}

function overlaps(found: WantedCode, given: WantedCode): boolean {
  if (found.path !== given.path || found.lines === undefined) return false;
  return given.lines === undefined || (given.lines.start <= found.lines.end && given.lines.end >= found.lines.start);
}

function fromArgs(args: JsonObject): JsonObject {
  const directories = textsOf(args, "targetDirectories");
  return {
    query: args["query"] ?? "",
    explanation: args["explanation"] ?? "",
    ...(directories.length === 0 ? {} : { includePattern: directories.join(",") }),
  };
}

function toResult(_: JsonObject, outcome: CallOutcome): JsonObject {
  if (outcome.kind !== "succeeded") return { error: { errorMessage: failureText(outcome) } };
  const codeResults = (outcome.result["codeResults"] ?? []) as JsonObject[];
  return { success: { results: codeResults.map(toText).join("\n\n"), codeResults } };
}

/** A result as a model reads it: where it stands, then its lines. */
function toText({ codeBlock }: JsonObject): string {
  const block = codeBlock as { relativeWorkspacePath: string; contents: string; range: JsonObject };
  const line = (end: "startPosition" | "endPosition"): number => Number((block.range[end] as JsonObject)["line"]);
  return `${block.relativeWorkspacePath}:${line("startPosition")}-${line("endPosition")}\n${block.contents}`;
}
