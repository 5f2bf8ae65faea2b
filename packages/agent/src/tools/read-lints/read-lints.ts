import type { JsonObject } from "@bufbuild/protobuf";
import { ClientSideToolV2 } from "@quarry/contract";
import type { LintedFile } from "../../code/lints/lint-files.ts";
import { lintableFiles } from "../../code/lints/lintable-files.ts";
import { shownPath } from "../../code/show-code.ts";
import type { CallOutcome, Tool, ToolContext, ToolOutput } from "../../tool.ts";
import { cutText } from "../../workspace/cut-text.ts";
import { toLinterError } from "../../workspace/lint-edit.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { failureText, textOf, textsOf, workspaceTool } from "../workspace-tool.ts";

/** The most problems that are shown of one file, and the most of its text. */
const MAX_PROBLEMS = 50;
const MAX_CONTENTS_CHARACTERS = 20_000;

type Deps = Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "ripgrep" | "history" | "code">;

/** aiserver.v1 ReadLints: what compilers and linters say of files as they are now. Lines and columns count from 1. */
export function readLintsTool(deps: Deps): Tool {
  return workspaceTool(deps, {
    name: "read_lints",
    clientTool: ClientSideToolV2.READ_LINTS,
    title: "Read problems of files",
    description:
      "Tells the problems of files by the TypeScript service and pyright, at most 50 a file; the workspace's own ESLint is asked too once fix_lints was allowed.",
    tier: "read",
    messages: "ReadLints",
    properties: {
      path: { type: "string", description: "The file or directory" },
      paths: {
        type: "array",
        items: { type: "string" },
        maxItems: 100,
        description: "Files or directories; without any, the files that the session changed",
      },
    },
    required: [],
    pathsOf: namedIn,
    stream: (args, context) => read(deps, args, context),
    agent: { member: "readLintsToolCall", fromArgs: (args) => ({ paths: args["paths"] ?? [] }), toResult },
  });
}

async function* read(deps: Deps, args: JsonObject, context: ToolContext): AsyncGenerator<ToolOutput, JsonObject> {
  const places = await lintableFiles(deps, namedIn(args), context);
  // Somebody let it run in this session, so its ESLint may run again: the rows of calls outlive this process.
  const wasAllowed = (await context.earlierResults(["fix_lints"])).length > 0;
  const roots = [...new Set(places.map(({ root }) => root))];
  const linted: (LintedFile & { readonly shown: string })[] = [];
  for (const root of roots) {
    if (wasAllowed) deps.code.lints.trust(root);
    const own = places.filter((place) => place.root === root);
    const absolutes = own.map(({ absolute }) => absolute);
    if (!deps.code.lints.isTrusted(root)) {
      const message =
        "The workspace's own ESLint is not asked before fix_lints was allowed: its configuration is code.";
      yield { kind: "progress", message };
    }
    const shownRoots = deps.rootsOf(context.session);
    for (const file of await deps.code.lints.lint(root, absolutes, context.signal)) {
      const relative = own.find(({ absolute }) => absolute === file.absolute)?.relative ?? file.absolute;
      linted.push({ ...file, shown: shownRoots.length === 1 ? relative : shownPath(roots, root, relative) });
    }
  }
  const [only, ...others] = linted;
  return {
    ...(only === undefined || others.length > 0 ? {} : { path: only.shown, linterErrors: toErrors(only) }),
    linterErrorsByFile: linted.map((file) => ({
      relativeWorkspacePath: file.shown,
      errors: toErrors(file),
      fileContents: cutText(file.text, MAX_CONTENTS_CHARACTERS),
    })),
  };
}

function namedIn(args: JsonObject): readonly string[] {
  return [textOf(args, "path"), ...textsOf(args, "paths")].filter((path) => path !== "");
}

function toErrors({ problems, isStale }: LintedFile): JsonObject[] {
  return problems.slice(0, MAX_PROBLEMS).map((problem) => ({ ...toLinterError(problem), isStale }));
}

function toResult(_: JsonObject, outcome: CallOutcome): JsonObject {
  if (outcome.kind !== "succeeded") return { error: { errorMessage: failureText(outcome) } };
  const files = (outcome.result["linterErrorsByFile"] ?? []) as {
    relativeWorkspacePath: string;
    errors?: JsonObject[];
  }[];
  const fileDiagnostics = files.map(({ relativeWorkspacePath, errors = [] }) => ({
    path: relativeWorkspacePath,
    diagnostics: errors.map(({ message = "", range, source = "", severity = "", isStale = false }) => {
      const { startPosition = {}, endPosition = {} } = (range ?? {}) as JsonObject;
      return { message, source, severity, isStale, range: { start: startPosition, end: endPosition } };
    }),
    diagnosticsCount: errors.length,
  }));
  const totalDiagnostics = fileDiagnostics.reduce((sum, { diagnosticsCount }) => sum + diagnosticsCount, 0);
  return { success: { fileDiagnostics, totalFiles: fileDiagnostics.length, totalDiagnostics } };
}
