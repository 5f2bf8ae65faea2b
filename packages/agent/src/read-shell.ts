import { homedir } from "node:os";
import path from "node:path";
import { parse } from "unbash";
import { riskOf } from "./risky-options.ts";
import { readPlainLine } from "./shell-words.ts";

/** What policy may know of a command line. */
export interface ShellFacts {
  /** Every simple command in it, as rules match them: quotes taken off, safe environment prefixes left out. */
  readonly commands: readonly string[];
  /** Why no rule about commands can speak for the line; empty when one can. */
  readonly uncovered: readonly string[];
  /** Why it is asked about whatever the rules say. */
  readonly alwaysAsk: readonly string[];
  /** Why it is never run. */
  readonly forbidden: readonly string[];
}

/** Variables that change how a program looks or talks, never what it runs. */
const SAFE_VARIABLES =
  /^(CI|NO_COLOR|FORCE_COLOR|CLICOLOR|TERM|LANG|LC_[A-Z]+|TZ|COLUMNS|LINES|DEBUG|NODE_ENV|RUST_BACKTRACE|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE)$/;

/** Programs that run what their arguments say. */
const RUNNERS = new Set(
  "eval exec source . command builtin env xargs parallel watch timeout nohup nice ionice setsid stdbuf time strace ssh su doas script expect awk gawk mawk sed perl ruby python python3 node deno bun php lua osascript busybox chroot unshare nsenter systemd-run at batch crontab trap alias".split(
    " ",
  ),
);
const SYSTEM_PROGRAM = /^\/(usr\/(local\/)?)?s?bin\/[^/]+$/;
const SHELLS = /^(ba|z|k|da|a|fi|c|tc)?sh$/;
const FIND_RUNS = new Set(["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprintf", "-fls", "-fprint0"]);

/**
 * Reads a command line without running anything. Only what is plainly a list of
 * simple commands can be covered by rules: every other form is named in `uncovered`.
 */
export function readShell(line: string): ShellFacts {
  const facts = {
    commands: [] as string[],
    uncovered: [] as string[],
    alwaysAsk: [] as string[],
    forbidden: [] as string[],
  };
  const script = parse(line);
  if (script.errors !== undefined && script.errors.length > 0) facts.uncovered.push("the line cannot be parsed");
  visit(script, facts);
  if (facts.commands.length === 0) facts.uncovered.push("the line has no command");
  // Two readers that know nothing of each other must agree: what one overlooks the other does not.
  const plain = readPlainLine(line)?.map((words) => words.join(" "));
  if (plain === undefined || plain.join("\n") !== facts.commands.join("\n")) {
    facts.uncovered.push("the line is not plain enough to be read for certain");
  }
  return { ...facts, uncovered: [...new Set(facts.uncovered)] };
}

/** How many words of a program's command line say what it does; one for all others. */
const ARITY: Readonly<Partial<Record<string, number>>> = {
  git: 2,
  npm: 2,
  "npm run": 3,
  pnpm: 2,
  "pnpm run": 3,
  yarn: 2,
  "yarn run": 3,
  bun: 2,
  "bun run": 3,
  cargo: 2,
  go: 2,
  docker: 2,
  "docker compose": 3,
  podman: 2,
  kubectl: 2,
  helm: 2,
  pip: 2,
  pip3: 2,
  poetry: 2,
  "poetry run": 3,
  uv: 2,
  "uv run": 3,
  dotnet: 2,
  gh: 3,
  apt: 2,
  "apt-get": 2,
  brew: 2,
  systemctl: 2,
  terraform: 2,
  make: 2,
  mvn: 2,
  gradle: 2,
};

/** The beginning of a simple command that a rule would allow from now on, such as `git commit` or `npm run dev`. */
export function commandPrefix(command: string): string {
  const words = command.split(" ");
  const [program = "", second = ""] = words;
  const count = ARITY[`${program} ${second}`] ?? ARITY[program] ?? 1;
  const prefix = words.slice(0, count);
  // An option in that place says nothing about what is done: then the whole line is what was agreed to.
  return prefix.slice(1).some((word) => word.startsWith("-")) ? command : prefix.join(" ");
}

type Facts = { readonly [Name in keyof ShellFacts]: string[] };
type Node = Readonly<Record<string, unknown>> & { readonly type: string };

/** Node by node; a kind of node that is not known here cannot be covered. */
function visit(node: Node | ReturnType<typeof parse>, facts: Facts, depth = 0): void {
  const { type } = node;
  switch (type) {
    case "Script":
    case "Statement":
    case "AndOr":
    case "Pipeline":
    case "CompoundList":
    case "Subshell":
    case "BraceGroup":
    case "Negation":
    case "Time":
      break;
    case "Command":
      readCommand(node as unknown as CommandNode, facts, depth);
      break;
    case "Word": {
      const { text, parts } = node as unknown as { readonly text: string; readonly parts?: readonly unknown[] };
      if (parts === undefined && /[$`]/.test(text)) facts.uncovered.push("it has an expansion");
      break;
    }
    case "Literal":
    case "Glob":
    case "SingleQuoted":
    case "DoubleQuoted":
    case "FileDescriptor":
      break;
    case "Redirect":
      readRedirect(node as unknown as RedirectNode, facts);
      break;
    case "Assignment":
      if (!SAFE_VARIABLES.test(String(node["name"]))) facts.uncovered.push("it sets a variable");
      break;
    case "CommandExpansion":
    case "ProcessSubstitution":
      facts.uncovered.push("it has a substitution");
      break;
    case "SimpleExpansion":
    case "ParameterExpansion":
    case "ArithmeticExpansion":
    case "BraceExpansion":
    case "ExtendedGlob":
      facts.uncovered.push("it has an expansion");
      break;
    default:
      facts.uncovered.push(`it uses ${type}`);
  }
  for (const member of membersOf(node)) {
    for (const child of Array.isArray(member) ? (member as unknown[]) : [member]) {
      if (isNode(child)) visit(child, facts, depth);
    }
  }
}

/** All that a node holds, also what the parser works out on demand and keeps on the prototype. */
function membersOf(node: object): readonly unknown[] {
  const names = new Set<string>();
  for (let at: unknown = node; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  }
  return [...names].map((name) => (node as Readonly<Record<string, unknown>>)[name]);
}

interface WordNode {
  readonly type: string;
  readonly text: string;
  readonly value: string;
}

interface CommandNode {
  readonly name: WordNode | undefined;
  readonly suffix: readonly (WordNode & { readonly target?: unknown })[];
}

interface RedirectNode {
  readonly operator: string;
  readonly target: WordNode | undefined;
}

function readCommand({ name, suffix }: CommandNode, facts: Facts, depth: number): void {
  if (name === undefined) return;
  const words = suffix.filter(({ type }) => type === "Word" || type === "Assignment").map(wordOf);
  const program = path.basename(wordOf(name));
  facts.commands.push([wordOf(name), ...words].join(" "));
  if (wordOf(name) === "" || /[\n\r\0]/.test([wordOf(name), ...words].join("")))
    facts.uncovered.push("it has odd words");
  if (program === "sudo" || program === "doas" || program === "su")
    facts.alwaysAsk.push(`${program} is always asked about`);
  if (RUNNERS.has(program) || SHELLS.test(program)) facts.uncovered.push(`${program} runs what it is given`);
  if (program === "find" && words.some((word) => FIND_RUNS.has(word))) facts.uncovered.push("find runs or deletes");
  const written = suffix.map(({ text }) => text);
  const risk = riskOf([wordOf(name), ...words], written);
  if (risk !== undefined) facts.uncovered.push(risk);
  // A program by its path may be one that the workspace brought along under a known name.
  if (wordOf(name).includes("/") && !SYSTEM_PROGRAM.test(wordOf(name)))
    facts.uncovered.push("it names a program by its path");
  forbidInside([wordOf(name), ...words], facts, depth);
  if (isDeletingRoot([wordOf(name), ...words])) facts.forbidden.push("it deletes /, the home directory, . or ..");
}

/** How deep command lines in words of command lines are looked into. */
const MAX_DEPTH = 3;

/** What is never run is not run by way of `bash -c`, `eval` and their like either. */
function forbidInside(words: readonly string[], facts: Facts, depth = 0): void {
  for (const word of words.filter((each) => /\s/.test(each))) {
    const inner: Facts = { commands: [], uncovered: [], alwaysAsk: [], forbidden: [] };
    visitInside(word, inner, depth);
    facts.forbidden.push(...inner.forbidden);
    facts.alwaysAsk.push(...inner.alwaysAsk);
  }
}

function visitInside(line: string, facts: Facts, depth: number): void {
  if (depth < MAX_DEPTH) visit(parse(line), facts, depth + 1);
}

function readRedirect({ operator, target }: RedirectNode, facts: Facts): void {
  const isHandle = (operator === ">&" || operator === "<&") && /^(\d+|-)$/.test(target?.value ?? "");
  const isNothing = target?.value === "/dev/null";
  if (operator !== "<" && !isHandle && !isNothing) facts.uncovered.push("it writes to a file by redirection");
}

function wordOf(word: WordNode): string {
  return word.type === "Word" ? word.value : word.text;
}

/** `rm -r` of what nobody wants to lose, also behind sudo and other runners, however the path is spelled. */
function isDeletingRoot(words: readonly string[]): boolean {
  const at = words.findIndex((word) => path.basename(word) === "rm");
  if (at === -1) return false;
  const args = words.slice(at + 1);
  const isDeep = args.some((word) => /^-[a-zA-Z]*[rR]/.test(word) || word === "--recursive");
  return isDeep && args.some((word) => !word.startsWith("-") && isPrecious(word));
}

function isPrecious(word: string): boolean {
  const bare = withoutEnd(word) || "/";
  if (["/", "*", "~", "$HOME", "${HOME}", "$PWD", "${PWD}", ".", ".."].includes(bare)) return true;
  if (/^(\.\.?\/)+\.?\.?$/.test(`${bare}/`)) return true;
  const normal = path.posix.normalize(bare);
  return normal === "/" || normal === homedir() || normal === "." || /^(\.\.\/?)+$/.test(normal);
}

/** A path without the slashes at its end and what may stand behind them: stars, or a dot. */
function withoutEnd(word: string): string {
  let end = word.length;
  if (word.endsWith("/.")) end -= 1;
  else while (end > 0 && word[end - 1] === "*") end -= 1;
  if (word[end - 1] !== "/") return word;
  while (end > 0 && word[end - 1] === "/") end -= 1;
  return word.slice(0, end);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
