import { stat } from "node:fs/promises";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import type { CallOutcome, Tool, ToolContext } from "../../tool.ts";
import { walkArgs } from "../../workspace/list-files.ts";
import { refuseHidden, SECRET_GLOBS } from "../../workspace/protected-paths.ts";
import { isWithin, resolvePath, type WorkspacePath } from "../../workspace/resolve-path.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { failureText, numberOf, textOf, textsOf, workspaceTool } from "../workspace-tool.ts";

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 2_000;
const MAX_LINE_CHARACTERS = 500;
const MODES = ["content", "files_with_matches", "count"] as const;
const SORTS = ["path", "modified", "accessed", "created", "none"] as const;

type Deps = Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "outside" | "ripgrep">;
type Mode = (typeof MODES)[number];

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
      for (const place of places) {
        await refuseHidden(deps.protectedPaths, place);
        results[place.root] = {
          [MEMBERS[mode]]: await search(deps, { place, mode, args, isNamed: given !== "" }, context),
        };
      }
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

interface Search {
  readonly place: WorkspacePath;
  readonly mode: Mode;
  readonly args: JsonObject;
  readonly isNamed: boolean;
}

async function search(deps: Deps, asked: Search, context: ToolContext): Promise<JsonObject> {
  const { place, mode, args } = asked;
  const skip = numberOf(args, "offset") ?? 0;
  const limit = Math.min(numberOf(args, "headLimit") || DEFAULT_LIMIT, MAX_LIMIT);
  // One more than is shown tells whether there are more.
  const entries = new Entries(mode, skip + limit + 1);
  const { isCut } = await deps.ripgrep(
    { cwd: place.root, args: [...(await toArgs(asked)), "--", place.relative === "" ? "." : `./${place.relative}`] },
    (line) => entries.add(line),
    context.signal,
  );
  const shown = new Set(await deps.protectedPaths.withoutHidden(place.root, entries.files()));
  const all = entries.all().filter(({ file }) => shown.has(file));
  const page = all.slice(skip, skip + limit);
  const flags = {
    clientTruncated: all.length > skip + limit,
    ripgrepTruncated: isCut,
    ...(all.length > skip + limit ? { headLimitApplied: limit } : {}),
    ...(skip === 0 ? {} : { offsetApplied: skip }),
  };
  const files = [...new Set(page.map(({ file }) => file))];
  const isOutside = context.session.grantedPaths?.some((each) => isWithin(each, place.absolute)) ?? false;
  switch (mode) {
    case "count": {
      const counts = page.map(({ file, count }) => ({ file, count, absolutePath: `${place.root}/${file}` }));
      const totalMatches = counts.reduce((sum, { count }) => sum + count, 0);
      return { counts, totalFiles: counts.length, totalMatches, ...flags };
    }
    case "files_with_matches": {
      const meta = files.map((file) => ({
        file,
        isDirty: false,
        isOutOfWorkspace: isOutside,
        absolutePath: `${place.root}/${file}`,
      }));
      return { files, totalFiles: files.length, filesWithMeta: meta, ...flags };
    }
    case "content": {
      const matches = files.map((file) => ({
        file,
        absolutePath: `${place.root}/${file}`,
        matches: page.filter((entry) => entry.file === file).map(({ line }) => line ?? {}),
      }));
      const matched = page.filter(({ line }) => line?.["isContextLine"] !== true).length;
      return { matches, totalLines: page.length, totalMatchedLines: matched, ...flags };
    }
  }
}

async function toArgs({ place, mode, args, isNamed }: Search): Promise<readonly string[]> {
  const is = (name: string): boolean => args[name] === true;
  const around = numberOf(args, "context") ?? 0;
  const found = await stat(place.absolute).catch(() => undefined); // said below
  if (found === undefined) throw new AppError("not_found", `there is no ${place.relative} to search`);
  const sort = textOf(args, "sort") || (mode === "files_with_matches" ? "modified" : "path");
  // The newest come first unless the caller turns it; names go from a to z.
  const isAscending = args["sortAscending"] === undefined ? sort === "path" : is("sortAscending");
  const [glob, type] = [textOf(args, "glob"), textOf(args, "type")];
  return [
    ...walkArgs(place.root),
    // A path that was named is searched although an ignore file leaves it out.
    ...(isNamed && place.relative !== "" ? ["--no-ignore-vcs"] : []),
    ...(sort === "none" ? [] : [isAscending ? "--sort" : "--sortr", sort]),
    ...(mode === "content"
      ? ["--json"]
      : mode === "count"
        ? ["--count-matches", "--with-filename", "--null"]
        : ["--files-with-matches"]),
    ...(mode === "content" ? ["-B", String(numberOf(args, "contextBefore") ?? around)] : []),
    ...(mode === "content" ? ["-A", String(numberOf(args, "contextAfter") ?? around)] : []),
    ...(is("caseInsensitive") ? ["--ignore-case"] : []),
    ...(is("multiline") ? ["--multiline", "--multiline-dotall"] : []),
    ...(glob === "" ? [] : ["--glob", glob]),
    ...(type === "" ? [] : ["--type", type]),
    ...textsOf(args, "ignoreGlobs").flatMap((ignored) => ["--glob", `!${ignored}`]),
    ...SECRET_GLOBS.filter((secret) => !secret.startsWith("!")).flatMap((secret) => ["--iglob", `!**/${secret}`]),
    "--regexp",
    textOf(args, "pattern"),
  ];
}

interface Entry {
  readonly file: string;
  readonly count: number;
  readonly line?: JsonObject;
}

/** What ripgrep said, entry by entry, until there are enough. */
class Entries {
  readonly #mode: Mode;
  readonly #most: number;
  readonly #entries: Entry[] = [];

  constructor(mode: Mode, most: number) {
    this.#mode = mode;
    this.#most = most;
  }

  /** False when there are enough. */
  add(line: string): boolean {
    if (this.#mode === "files_with_matches") this.#entries.push({ file: bare(line), count: 1 });
    else if (this.#mode === "count") {
      const [file = "", count = "0"] = line.split("\0");
      this.#entries.push({ file: bare(file), count: Number(count) });
    } else this.#addLines(JSON.parse(line) as RipgrepMessage);
    return this.#entries.length < this.#most;
  }

  all(): readonly Entry[] {
    return this.#entries;
  }

  files(): readonly string[] {
    return [...new Set(this.#entries.map(({ file }) => file))];
  }

  #addLines({ type, data }: RipgrepMessage): void {
    if ((type !== "match" && type !== "context") || data.path === undefined || data.lines === undefined) return;
    const file = bare(textIn(data.path));
    const lines = textIn(data.lines)
      .replace(/\r?\n$/, "")
      .split(/\r?\n/);
    for (const [index, content] of lines.entries()) {
      const isCut = content.length > MAX_LINE_CHARACTERS;
      this.#entries.push({
        file,
        count: 1,
        line: {
          lineNumber: (data.line_number ?? 1) + index,
          content: isCut ? content.slice(0, MAX_LINE_CHARACTERS) : content,
          contentTruncated: isCut,
          isContextLine: type === "context",
        },
      });
    }
  }
}

/** What `rg --json` writes, as far as it is read here. */
interface RipgrepMessage {
  readonly type: string;
  readonly data: {
    readonly path?: RipgrepText;
    readonly lines?: RipgrepText;
    readonly line_number?: number | null;
  };
}

type RipgrepText = { readonly text: string } | { readonly bytes: string };

function textIn(given: RipgrepText): string {
  return "text" in given ? given.text : Buffer.from(given.bytes, "base64").toString("utf8");
}

function bare(file: string): string {
  return file.startsWith("./") ? file.slice(2) : file;
}

/** The two messages call their members alike, but agent.v1 has fewer. */
function toGrepResult(_: JsonObject, outcome: CallOutcome): JsonObject {
  if (outcome.kind !== "succeeded") return { error: { error: failureText(outcome) } };
  return JSON.parse(
    JSON.stringify(outcome.result, (name: string, value: JsonValue) =>
      ["filesWithMeta", "isDirty", "isOutOfWorkspace", "absolutePath"].includes(name) ? undefined : value,
    ),
  ) as JsonObject;
}
