import { readFile } from "node:fs/promises";
import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import { findEslint, mendByEslint } from "../../code/lints/eslint.ts";
import { isScript } from "../../code/lints/lint-files.ts";
import { lintableFiles } from "../../code/lints/lintable-files.ts";
import { shownPath } from "../../code/show-code.ts";
import { diffTexts, toFileDiff } from "../../edits/file-diff.ts";
import type { Tool, ToolContext } from "../../tool.ts";
import { changeOf } from "../../workspace/change-of.ts";
import { toLinterError } from "../../workspace/lint-edit.ts";
import { refuseGuarded } from "../../workspace/protected-paths.ts";
import type { WorkspacePath } from "../../workspace/resolve-path.ts";
import { contentIdOf, decodeText, encodeText } from "../../workspace/text-file.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { textsOf, workspaceTool } from "../workspace-tool.ts";

const MAX_PROBLEMS = 50;

type Deps = Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "ripgrep" | "history" | "locks" | "code">;

/**
 * aiserver.v1 FixLints: mends what ESLint and the TypeScript service can mend by themselves. It may run the
 * workspace's own ESLint, whose configuration and plug-ins are code of the workspace: so it counts as running
 * programs, and is asked about like a command.
 */
export function fixLintsTool(deps: Deps): Tool {
  return workspaceTool(deps, {
    name: "fix_lints",
    clientTool: ClientSideToolV2.FIX_LINTS,
    title: "Mend problems of files",
    description:
      "Mends problems of files by the workspace's own ESLint and the TypeScript service; each change can be undone.",
    tier: "exec",
    messages: "FixLints",
    // The message of the protocol is empty; what bounds the call comes as JSON, in the form of read_lints.
    types: { args: "aiserver.v1.ReadLintsParams", result: "aiserver.v1.FixLintsResult" },
    properties: {
      paths: {
        type: "array",
        items: { type: "string" },
        maxItems: 100,
        description: "Files or directories; without any, the files that the session changed",
      },
    },
    required: [],
    pathsOf: (args) => textsOf(args, "paths"),
    look: async (args, context) => {
      const places = await lintableFiles(deps, textsOf(args, "paths"), context);
      const programs = await Promise.all(
        places.filter(({ absolute }) => isScript(absolute)).map(({ root, absolute }) => findEslint(root, absolute)),
      );
      const runsEslint = programs.some((program) => program !== undefined);
      return {
        paths: places.map(({ relative }) => relative),
        risk: runsEslint ? "high" : "medium",
        notes: runsEslint
          ? ["runs the workspace's own ESLint: its configuration and plug-ins are code of the workspace"]
          : [],
        ...(runsEslint ? { commands: ["eslint --fix"] } : {}),
      };
    },
    run: async (args, context) => {
      const places = await lintableFiles(deps, textsOf(args, "paths"), context);
      const roots = [...new Set(places.map(({ root }) => root))];
      for (const root of roots) deps.code.lints.trust(root);
      const fileResults: JsonObject[] = [];
      for (const place of places)
        fileResults.push(await fixFile(deps, place, shownPath(roots, place.root, place.relative), context));
      return { fileResults };
    },
  });
}

async function fixFile(deps: Deps, place: WorkspacePath, filePath: string, context: ToolContext): Promise<JsonObject> {
  const { signal } = context;
  const before = decodeText(await readFile(place.absolute))?.text ?? "";
  let error: string | undefined;
  try {
    refuseGuarded(place);
    for (const mend of [askEslint, askTypescript]) await applyMend(deps, place, mend, context);
  } catch (thrown) {
    signal.throwIfAborted();
    const known = AppError.from(thrown);
    if (known.code === "internal") throw thrown;
    error = known.message;
  }
  const after = decodeText(await readFile(place.absolute))?.text ?? "";
  const [linted] = await deps.code.lints.lint(place.root, [place.absolute], signal);
  const left = (linted?.problems ?? []).slice(0, MAX_PROBLEMS);
  return {
    filePath,
    ...(before === after ? {} : { diff: toFileDiff(diffTexts(before, after)) }),
    isApplied: before !== after,
    applyFailed: error !== undefined,
    ...(error === undefined ? {} : { error }),
    linterErrors: left.map((problem) => ({ ...toLinterError(problem), isStale: linted?.isStale === true })),
  };
}

type Mend = (deps: Deps, place: WorkspacePath, signal: AbortSignal) => Promise<string | undefined>;

async function askEslint(_: Deps, { root, absolute }: WorkspacePath, signal: AbortSignal): Promise<string | undefined> {
  const eslint = isScript(absolute) ? await findEslint(root, absolute) : undefined;
  return eslint === undefined ? undefined : mendByEslint(eslint, absolute, signal);
}

async function askTypescript(
  deps: Deps,
  { root, absolute }: WorkspacePath,
  signal: AbortSignal,
): Promise<string | undefined> {
  return isScript(absolute) ? deps.code.typescript.run({ kind: "fix", root, file: absolute }, signal) : undefined;
}

/** Writes what a linter made of a file, unless the file changed meanwhile: a text that nobody saw is never overwritten. */
async function applyMend(deps: Deps, place: WorkspacePath, mend: Mend, context: ToolContext): Promise<void> {
  const { absolute, relative } = place;
  await deps.locks.hold([absolute], async () => {
    const bytes = await readFile(absolute);
    const decoded = decodeText(bytes);
    const mended = (await mend(deps, place, context.signal))?.replace(/^\ufeff/, "");
    if (decoded === undefined || mended === undefined || mended === decoded.text) return;
    if (!decoded.encoding.startsWith("utf8")) {
      throw new AppError("unprocessable", `${relative} is not in UTF-8, which the linters read; it was left as it is`);
    }
    if (contentIdOf(await readFile(absolute)) !== contentIdOf(bytes)) {
      throw new AppError("conflict", `${relative} changed while it was mended; it was left as it is, so call again`);
    }
    const next = encodeText(mended, decoded.encoding);
    if (next !== undefined) await deps.history.make(changeOf(context, place), { kind: "file", bytes: next });
  });
}
