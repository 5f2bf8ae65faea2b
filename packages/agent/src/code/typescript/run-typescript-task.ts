import path from "node:path";
import type ts from "typescript-language-service";
import type { LintProblem, LintSeverity } from "../../workspace/lint-problem.ts";
import type { CodePlace } from "../code-place.ts";
import { findConfig, openProject, type Typescript, type TypescriptProject } from "./typescript-project.ts";
import type { TypescriptAnswers, TypescriptTask } from "./typescript-task.ts";

/** The most projects that are kept open; the one asked longest ago is closed first. */
const MAX_PROJECTS = 4;

/**
 * What can be mended without a person: each is tried on the whole file and kept only when it leaves fewer problems
 * and no new one.
 */
const SAFE_FIXES = [
  "fixMissingImport",
  "fixAddOverrideModifier",
  "convertToTypeOnlyImport",
  "convertToTypeOnlyExport",
  "forgottenThisPropertyAccess",
];

/** "Do you need to install type definitions?" and the like: where no project says what there is, nobody knows. */
const MISSING_TYPES = new Set([2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 2868]);

interface OpenProject {
  readonly project: TypescriptProject;
  readonly asked: Set<string>;
}

const projects = new Map<string, OpenProject>();
let loading: Promise<Typescript> | undefined;

/** Answers one question about TypeScript or JavaScript. It keeps projects between questions. */
export async function runTypescriptTask<K extends TypescriptTask["kind"]>(
  task: Extract<TypescriptTask, { readonly kind: K }>,
): Promise<TypescriptAnswers[K]>;
export async function runTypescriptTask(task: TypescriptTask): Promise<TypescriptAnswers[TypescriptTask["kind"]]> {
  loading ??= import("typescript-language-service").then((module) => module.default);
  const compiler = await loading;
  switch (task.kind) {
    case "definitions": {
      const { project } = open(compiler, task.root, task.file);
      return task.offsets.flatMap((offset) => definitionsAt(project, task.file, offset));
    }
    case "problems":
      return task.files.flatMap((file) => problemsOf(compiler, open(compiler, task.root, file).project, file));
    case "fix":
      return fixFile(compiler, open(compiler, task.root, task.file).project, task.file);
    case "symbols":
      return [...projects]
        .filter(([key]) => key.startsWith(`${task.root}\0`))
        .flatMap(([, { project }]) => symbolsOf(project, task.query, task.limit));
  }
}

function open(compiler: Typescript, root: string, file: string): OpenProject {
  const config = findConfig(compiler, root, file);
  const key = `${root}\0${config ?? ""}`;
  let opened = projects.get(key);
  if (opened === undefined) {
    const asked = new Set([file]);
    const directory = config === undefined ? root : path.dirname(config);
    opened = { asked, project: openProject(compiler, { config, directory, asked }) };
  }
  projects.delete(key);
  projects.set(key, opened);
  const [oldest] = projects;
  if (projects.size > MAX_PROJECTS && oldest !== undefined) {
    oldest[1].project.service.dispose();
    projects.delete(oldest[0]);
  }
  opened.asked.add(file);
  opened.project.refresh();
  return opened;
}

function definitionsAt({ service, textOf }: TypescriptProject, file: string, offset: number): readonly CodePlace[] {
  return (service.getDefinitionAtPosition(file, offset) ?? []).map((found) =>
    toPlace(textOf(found.fileName), {
      absolute: found.fileName,
      name: found.name,
      container: found.containerName,
      kind: found.kind,
      whole: found.contextSpan ?? found.textSpan,
      nameStart: found.textSpan.start,
    }),
  );
}

function symbolsOf(
  { service, textOf, refresh }: TypescriptProject,
  query: string,
  limit: number,
): readonly CodePlace[] {
  refresh();
  return service.getNavigateToItems(query, limit, undefined, true).map((found) =>
    toPlace(textOf(found.fileName), {
      absolute: found.fileName,
      name: found.name,
      container: found.containerName,
      kind: found.kind,
      whole: found.textSpan,
      nameStart: Math.max(found.textSpan.start, textOf(found.fileName).indexOf(found.name, found.textSpan.start)),
    }),
  );
}

function toPlace(
  text: string,
  found: Pick<CodePlace, "absolute" | "name" | "container" | "kind"> & {
    readonly whole: ts.TextSpan;
    readonly nameStart: number;
  },
): CodePlace {
  const { whole, nameStart, ...rest } = found;
  const name = positionAt(text, nameStart);
  return {
    ...rest,
    startLine: positionAt(text, whole.start).line,
    endLine: positionAt(text, whole.start + whole.length).line,
    nameLine: name.line,
    nameColumn: name.column,
  };
}

function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function problemsOf(
  compiler: Typescript,
  { service, textOf, isLoose }: TypescriptProject,
  file: string,
): readonly LintProblem[] {
  const semantic = service.getSemanticDiagnostics(file);
  const found = [
    ...service.getSyntacticDiagnostics(file),
    ...(isLoose ? semantic.filter(({ code }) => !MISSING_TYPES.has(code)) : semantic),
  ];
  const text = textOf(file);
  return found.map((diagnostic) => {
    const start = positionAt(text, diagnostic.start ?? 0);
    const end = positionAt(text, (diagnostic.start ?? 0) + (diagnostic.length ?? 0));
    return {
      absolute: file,
      startLine: start.line,
      startColumn: start.column,
      endLine: end.line,
      endColumn: end.column,
      message: compiler.flattenDiagnosticMessageText(diagnostic.messageText, "\n"),
      source: "typescript",
      severity: severityOf(compiler, diagnostic.category),
      code: `TS${diagnostic.code}`,
    };
  });
}

function severityOf(compiler: Typescript, category: ts.DiagnosticCategory): LintSeverity {
  switch (category) {
    case compiler.DiagnosticCategory.Error:
      return "error";
    case compiler.DiagnosticCategory.Warning:
      return "warning";
    case compiler.DiagnosticCategory.Suggestion:
      return "hint";
    default:
      return "info";
  }
}

/** Tries the safe fixes one after the other, each on what the ones before left, without touching the disk. */
function fixFile(compiler: Typescript, project: TypescriptProject, file: string): string | undefined {
  const { service, textOf, tried } = project;
  const settings = compiler.getDefaultFormatCodeSettings(textOf(file).includes("\r\n") ? "\r\n" : "\n");
  let left = problemsOf(compiler, project, file);
  let kept: string | undefined;
  try {
    for (const fixId of SAFE_FIXES) {
      const { changes } = service.getCombinedCodeFix({ type: "file", fileName: file }, fixId, settings, {});
      const own = changes.filter((change) => change.fileName === file);
      // What would change other files as well is more than mending this one.
      if (own.length === 0 || own.length < changes.length) continue;
      const before = tried.get(file);
      const text = applyChanges(
        textOf(file),
        own.flatMap((change) => change.textChanges),
      );
      tried.set(file, text);
      const now = problemsOf(compiler, project, file);
      if (now.length < left.length && now.every(({ message }) => left.some((known) => known.message === message))) {
        [left, kept] = [now, text];
      } else if (before === undefined) tried.delete(file);
      else tried.set(file, before);
    }
  } finally {
    tried.delete(file);
  }
  return kept;
}

function applyChanges(text: string, changes: readonly ts.TextChange[]): string {
  return changes
    .toSorted((a, b) => b.span.start - a.span.start)
    .reduce((now, { span, newText }) => now.slice(0, span.start) + newText + now.slice(span.start + span.length), text);
}
