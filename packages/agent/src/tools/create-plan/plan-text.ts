import { randomBytes } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { objectsOf } from "../state-tool.ts";
import { toItem, writeTodos, type Todo } from "../todo-write/todo-list.ts";
import { textOf, textsOf } from "../workspace-tool.ts";

/** A plan ready to be kept. */
export interface WrittenPlan {
  readonly name: string;
  readonly fileName: string;
  readonly text: string;
  readonly todos: readonly Todo[];
}

/** The longest plan that is kept. */
export const MAX_PLAN_CHARACTERS = 200_000;

/** Writes a plan as a file with front matter: name, overview and todos as data, the rest as Markdown for people. */
export function writePlan(args: JsonObject): WrittenPlan {
  const title = textOf(args, "title");
  const name = textOf(args, "name") || title || "plan";
  const todos = planTodos(args);
  const head = {
    name,
    ...(title === "" ? {} : { title }),
    ...(textOf(args, "overview") === "" ? {} : { overview: textOf(args, "overview") }),
    ...(args["isSpec"] === true ? { isSpec: true } : {}),
    ...(args["isProject"] === true ? { isProject: true } : {}),
    todos: todos.map(toItem),
  };
  const parts = [
    title === "" ? "" : `# ${title}`,
    textOf(args, "summary"),
    textOf(args, "plan"),
    stepsText(objectsOf(args, "steps")),
    phasesText(objectsOf(args, "phases")),
  ].filter((part) => part !== "");
  const text = `---\n${toYaml(head)}---\n\n${parts.join("\n\n")}\n`;
  if (parts.length === 0 && todos.length === 0) {
    throw new AppError("invalid_request", "plan: there is nothing in it; write the plan, its steps or its todos");
  }
  refuseLong(text);
  return { name, fileName: `${slugOf(name)}-${randomBytes(4).toString("hex")}.plan.md`, text, todos };
}

/**
 * Replaces texts of a plan, all or none: each must stand in it exactly once, and none may lie within another.
 * Throws `invalid_request` naming the one that does not fit.
 */
export function replaceTexts(
  text: string,
  replacements: readonly { readonly oldText: string; readonly newText: string; readonly field: string }[],
): string {
  const places = replacements.map(({ oldText, newText, field }) => {
    if (oldText === "") throw new AppError("invalid_request", `${field}: it is empty; name the text to replace`);
    const start = text.indexOf(oldText);
    if (start === -1) {
      throw new AppError(
        "invalid_request",
        `${field}: the plan does not hold ${quote(oldText)}; read it and copy exactly`,
      );
    }
    if (text.includes(oldText, start + 1)) {
      throw new AppError(
        "invalid_request",
        `${field}: ${quote(oldText)} stands in the plan more than once; take more of the text around it`,
      );
    }
    return { start, end: start + oldText.length, newText, field };
  });
  const sorted = places.toSorted((a, b) => a.start - b.start);
  let result = "";
  let at = 0;
  for (const { start, end, newText, field } of sorted) {
    if (start < at)
      throw new AppError("invalid_request", `${field}: it overlaps with another replacement; make them one`);
    result += text.slice(at, start) + newText;
    at = end;
  }
  result += text.slice(at);
  refuseLong(result);
  return result;
}

/** A plan's todos: its own, then those of its phases; each gets an id and a status. */
export function planTodos(args: JsonObject): readonly Todo[] {
  const given = [
    ...objectsOf(args, "todos"),
    ...objectsOf(args, "phases").flatMap((phase) => objectsOf(phase, "todos")),
  ];
  return writeTodos(
    [],
    given.map((todo, index) => (textOf(todo, "id") === "" ? { ...todo, id: `todo-${index + 1}` } : todo)),
    false,
  );
}

function stepsText(steps: readonly JsonObject[]): string {
  if (steps.length === 0) return "";
  const ids = steps.map((step, index) => textOf(step, "id") || String(index + 1));
  const lines = steps.map((step, index) => {
    const unknown = textsOf(step, "prerequisites").find((id) => !ids.includes(id));
    if (unknown !== undefined) {
      throw new AppError(
        "invalid_request",
        `steps: ${ids[index] ?? ""} needs ${unknown}, which is no step; there are ${ids.join(", ")}`,
      );
    }
    const after = textsOf(step, "prerequisites");
    const agent = textOf(step, "subComposerId");
    return [
      `${index + 1}. **${textOf(step, "title") || (ids[index] ?? "")}**${after.length === 0 ? "" : ` (after ${after.join(", ")})`}`,
      ...[textOf(step, "description"), textOf(step, "instructions"), agent === "" ? "" : `Done by ${agent}.`]
        .filter((line) => line !== "")
        .map((line) => `   ${line.replaceAll("\n", "\n   ")}`),
    ].join("\n");
  });
  return `## Steps\n\n${lines.join("\n")}`;
}

function phasesText(phases: readonly JsonObject[]): string {
  if (phases.length === 0) return "";
  const parts = phases.map((phase, index) => {
    const todos = objectsOf(phase, "todos").map((todo) => `- [ ] ${textOf(todo, "content")}`);
    return `### ${textOf(phase, "name") || `Phase ${index + 1}`}\n\n${todos.join("\n")}`;
  });
  return `## Phases\n\n${parts.join("\n\n")}`;
}

/** JSON is YAML: each member on a line, lists of objects one item per line. */
function toYaml(head: JsonObject): string {
  return Object.entries(head)
    .map(([key, value]) =>
      Array.isArray(value)
        ? value.length === 0
          ? `${key}: []\n`
          : `${key}:\n${value.map((item) => `  - ${JSON.stringify(item)}\n`).join("")}`
        : `${key}: ${JSON.stringify(value)}\n`,
    )
    .join("");
}

function slugOf(name: string): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|(?<!-)-+$/g, "");
  return slug.slice(0, 60) || "plan";
}

function refuseLong(text: string): void {
  if (text.length <= MAX_PLAN_CHARACTERS) return;
  throw new AppError(
    "too_large",
    `a plan has at most ${MAX_PLAN_CHARACTERS} characters; this one would have ${text.length}`,
  );
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
