import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import type { CallOutcome, Tool } from "../../tool.ts";
import { refuseHidden } from "../../workspace/protected-paths.ts";
import { resolvePath } from "../../workspace/resolve-path.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { failureText, textOf, workspaceTool } from "../workspace-tool.ts";
import { MODES, SORTS } from "./search-args.ts";
import { searchPage } from "./search-page.ts";

type Deps = Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "outside" | "ripgrep">;

/** aiserver.v1 RipgrepRawSearch: ripgrep in a workspace, page by page. */
export function ripgrepRawSearchTool(deps: Deps): Tool {
  return workspaceTool(deps, {
    name: "ripgrep_raw_search",
    aliases: ["grep", "grep_search"],
    clientTool: ClientSideToolV2.RIPGREP_RAW_SEARCH,
    title: "Search file contents",
    description:
      "Searches files by a regular expression; 200 entries at a time unless headLimit says otherwise (at most 2,000).",
    tier: "read",
    messages: "RipgrepRawSearch",
    properties: {
      pattern: { type: "string", minLength: 1, description: "A regular expression" },
      path: { type: "string", description: "A file or directory; the whole workspace without it" },
      glob: { type: "string", description: "Only files that match" },
      outputMode: { type: "string", enum: ["", ...MODES], description: "content unless given" },
      contextBefore: { type: "integer", minimum: 0, maximum: 100 },
      contextAfter: { type: "integer", minimum: 0, maximum: 100 },
      context: { type: "integer", minimum: 0, maximum: 100 },
      caseInsensitive: { type: "boolean" },
      type: { type: "string", description: "A file type of ripgrep, such as ts" },
      headLimit: { type: "integer", minimum: 0, description: "The most entries" },
      multiline: { type: "boolean", description: "A match may span lines" },
      sort: { type: "string", enum: ["", ...SORTS] },
      sortAscending: { type: "boolean" },
      ignoreGlobs: { type: "array", items: { type: "string" } },
      offset: { type: "integer", minimum: 0, description: "Entries to skip" },
    },
    required: ["pattern"],
    pathsOf: (args) => [textOf(args, "path") || "."],
    run: async (args, context) => {
      const mode = MODES.find((known) => known === textOf(args, "outputMode")) ?? "content";
      const roots = deps.rootsOf(context.session);
      const given = textOf(args, "path");
      const places = await Promise.all(
        given === "" ? roots.map((root) => resolvePath([root], ".")) : [resolvePath(roots, given)],
      );
      const results: Record<string, JsonObject> = {};
      try {
        for (const place of places) {
          await refuseHidden(deps.protectedPaths, place);
          results[place.root] = {
            [MEMBERS[mode]]: await searchPage(deps, { place, mode, args, isNamed: given !== "" }, context),
          };
        }
      } catch (error) {
        // What ripgrep itself says of a pattern, a glob or a type has a place in the result.
        if (!(error instanceof AppError) || error.code !== "invalid_request") throw error;
        return { error: { error: error.message } };
      }
      // No editor is open here, so there is never a result of an active one.
      return {
        success: { pattern: textOf(args, "pattern"), path: given, outputMode: mode, workspaceResults: results },
      };
    },
    agent: {
      member: "grepToolCall",
      fromArgs: (args) => Object.fromEntries(Object.entries(args).filter(([name]) => !TWIN_ALONE.has(name))),
      toResult: toGrepResult,
    },
  });
}

/** What agent.v1's arguments have and ours do not. */
const TWIN_ALONE: ReadonlySet<string> = new Set(["toolCallId", "sandboxPolicy"]);

const MEMBERS = { content: "content", files_with_matches: "files", count: "count" } as const;

/** The two messages call their members alike, but agent.v1 has fewer. */
function toGrepResult(_: JsonObject, outcome: CallOutcome): JsonObject {
  if (outcome.kind !== "succeeded") return { error: { error: failureText(outcome) } };
  return JSON.parse(
    JSON.stringify(outcome.result, (name: string, value: JsonValue) =>
      ["filesWithMeta", "isDirty", "isOutOfWorkspace", "absolutePath"].includes(name) ? undefined : value,
    ),
  ) as JsonObject;
}
