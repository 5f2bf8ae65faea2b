import { realpath } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import type { Tool, ToolContext } from "../../tool.ts";
import { refuseHidden } from "../../workspace/protected-paths.ts";
import { isWithin, resolvePath } from "../../workspace/resolve-path.ts";
import { bare, parseRipgrep, textIn } from "../../workspace/ripgrep-json.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { textOf, workspaceTool } from "../workspace-tool.ts";
import { readExcludeSettings } from "./exclude-settings.ts";
import { toResults } from "./search-matches.ts";
import { searchNotebooks } from "./search-notebooks.ts";
import { contextArgs, extraFiles, fileArgs, patternArgs, readQuery, type SearchQuery } from "./search-query.ts";
import { SEARCH_PROPERTIES } from "./search-schema.ts";

type Deps = Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "outside" | "ripgrep">;

/** aiserver.v1 RipgrepSearch: a text search in the words of an editor, with ranges that count from 0. */
export function ripgrepSearchTool(deps: Deps): Tool {
  return workspaceTool(deps, {
    name: "ripgrep_search",
    clientTool: ClientSideToolV2.RIPGREP_SEARCH,
    title: "Search as an editor does",
    description:
      "Searches the workspace with an editor's options; 200 matches unless maxResults says otherwise (at most 5,000).",
    tier: "read",
    messages: "RipgrepSearch",
    properties: SEARCH_PROPERTIES,
    required: ["patternInfo"],
    pathsOf: (args) => [".", ...extraFiles(readQuery(args)).files],
    // Why the search is made is kept with the call's arguments, and shown to whoever is asked about it.
    look: (args) => {
      const reason = textOf(readQuery(args).options, "reason");
      return Promise.resolve(reason === "" ? {} : { notes: [`reason: ${reason}`] });
    },
    run: async (args, context) => {
      const query = readQuery(args);
      const found = new Found(query.maxResults);
      const warnings: string[] = [];
      try {
        for (const given of deps.rootsOf(context.session)) {
          const { root } = await resolvePath([given], ".");
          warnings.push(...(await searchRoot(deps, { root, query, found }, context)));
        }
        await searchExtra(deps, { query, found }, context);
      } catch (error) {
        throw withHint(error);
      }
      return {
        internal: {
          results: found.results(),
          exit: "SEARCH_COMPLETION_EXIT_CODE_NORMAL",
          limitHit: found.isFull,
          messages: [...warnings.map(toWarning), ...notesOn(query)],
          textSearchStats: { type: "TEXT_SEARCH_PROVIDER_TYPE_SEARCH_PROCESS" },
        },
      };
    },
  });
}

async function searchRoot(
  deps: Deps,
  asked: { readonly root: string; readonly query: SearchQuery; readonly found: Found },
  context: ToolContext,
): Promise<readonly string[]> {
  const { root, query, found } = asked;
  if (found.isFull) return [];
  const files = fileArgs(query, root, await readExcludeSettings(root));
  const { notebookParts } = query;
  const collected = new Found(found.left);
  const { warnings } = await deps.ripgrep(
    {
      cwd: root,
      args: [
        "--json",
        ...contextArgs(query),
        ...files,
        ...(notebookParts === undefined ? [] : ["--glob", "!*.ipynb"]),
        ...patternArgs(query),
        "--",
        ".",
      ],
    },
    (line) => collectLine(line, { root, query, found: collected }),
    context.signal,
  );
  if (notebookParts !== undefined) {
    const searched = { root, query, parts: notebookParts };
    const add = (file: string, results: readonly JsonObject[]): boolean =>
      collected.add(path.join(root, file), results);
    await searchNotebooks(deps, searched, add, context.signal);
  }
  const relatives = collected.files().map((absolute) => path.relative(root, absolute).split(path.sep).join("/"));
  for (const relative of await deps.protectedPaths.withoutHidden(root, relatives)) {
    const absolute = path.join(root, relative);
    // A link that was followed may have led out.
    const real = query.options["ignoreSymlinks"] === false ? await realpath(absolute) : absolute;
    if (isWithin(root, real)) found.add(absolute, collected.of(absolute));
  }
  if (collected.isFull) found.isFull = true;
  return warnings === "" ? [] : warnings.split("\n");
}

/** Files that are searched besides, although an ignore file may leave them out. */
async function searchExtra(
  deps: Deps,
  asked: { readonly query: SearchQuery; readonly found: Found },
  context: ToolContext,
): Promise<void> {
  const { query, found } = asked;
  for (const given of extraFiles(query).files) {
    const place = await resolvePath(deps.rootsOf(context.session), given);
    await refuseHidden(deps.protectedPaths, place);
    if (found.has(place.absolute) || found.isFull) continue;
    const args = ["--json", ...contextArgs(query), ...patternArgs(query), "--", `./${place.relative}`];
    const { root } = place;
    await deps.ripgrep({ cwd: root, args }, (line) => collectLine(line, { root, query, found }), context.signal);
  }
}

function collectLine(
  line: string,
  of: { readonly root: string; readonly query: SearchQuery; readonly found: Found },
): boolean {
  const message = parseRipgrep(line);
  if ((message.type !== "match" && message.type !== "context") || message.data.path === undefined) return true;
  const absolute = path.join(of.root, bare(textIn(message.data.path)));
  return of.found.add(absolute, toResults(message, { uri: pathToFileURL(absolute).href }, of.query.preview));
}

/** Results by file, until there are enough matches. */
class Found {
  readonly #files = new Map<string, JsonObject[]>();
  left: number;
  isFull = false;

  constructor(most: number) {
    this.left = most;
  }

  /** False when there are enough. */
  add(file: string, results: readonly JsonObject[]): boolean {
    for (const result of results) {
      const isMatch = result["match"] !== undefined;
      if (isMatch && this.left === 0) {
        this.isFull = true;
        return false;
      }
      if (isMatch) this.left -= 1;
      const kept = this.#files.get(file);
      if (kept === undefined) this.#files.set(file, [result]);
      else kept.push(result);
    }
    return true;
  }

  has(file: string): boolean {
    return this.#files.has(file);
  }

  files(): readonly string[] {
    return [...this.#files.keys()];
  }

  of(file: string): readonly JsonObject[] {
    return this.#files.get(file) ?? [];
  }

  results(): JsonObject[] {
    return [...this.#files]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([file, results]) => ({ resource: pathToFileURL(file).href, results }));
  }
}

/** What a query asks for that this runtime cannot narrow down to. */
function notesOn(query: SearchQuery): readonly JsonObject[] {
  const others = query.options["onlyFileScheme"] === true ? [] : extraFiles(query).others;
  return [
    ...(query.options["onlyOpenEditors"] === true
      ? ["there are no open editors here, so the whole workspace was searched"]
      : []),
    ...others.map((other) => `${other} is no file on disk and was not searched`),
  ].map((text) => ({ text, type: "TEXT_SEARCH_COMPLETE_MESSAGE_TYPE_INFORMATION" }));
}

function toWarning(text: string): JsonObject {
  return { text, type: "TEXT_SEARCH_COMPLETE_MESSAGE_TYPE_WARNING" };
}

function withHint(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== "invalid_request" || !/regex|PCRE2/i.test(error.message)) {
    return error;
  }
  const hint = "escape what is meant literally, or leave isRegExp unset to search for the text as it is";
  return new AppError("invalid_request", `patternInfo.pattern: ${error.message}; ${hint}`);
}
