import path from "node:path";
import ts from "typescript";
import { anchorsOf, codeBlocksOf, codeSpansOf, linksOf } from "./markdown.ts";

/** A Markdown file: its path from the repository root, with `/`, and its text. */
export interface MarkdownDocument {
  readonly file: string;
  readonly text: string;
}

/** The repository as the documents speak of it. */
export interface DocumentedRepository {
  /** Whether a path from the root exists. */
  readonly exists: (file: string) => boolean;
  /** The text of a path from the root. */
  readonly read: (file: string) => string;
  readonly npmScripts: ReadonlySet<string>;
  /** What `quarry` would say against these words; a mere mention need not have its arguments. */
  readonly faultOfQuarry: (words: readonly string[], isMention: boolean) => string | undefined;
}

/** Faults of one document: links that lead nowhere, scripts and commands that do not exist, snippets that do not parse. */
export function checkDocument(document: MarkdownDocument, repository: DocumentedRepository): readonly string[] {
  return [
    ...brokenLinks(document, repository),
    ...unknownScripts(document, repository),
    ...unknownCommands(document, repository),
    ...brokenSnippets(document),
  ];
}

function brokenLinks({ file, text }: MarkdownDocument, repository: DocumentedRepository): readonly string[] {
  return linksOf(text).flatMap(({ target, line }) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return []; // another site's business
    const [place = "", anchor] = target.split("#", 2);
    const linked = place === "" ? file : path.posix.normalize(path.posix.join(path.posix.dirname(file), place));
    if (linked.startsWith("../") || !repository.exists(linked)) return [`${file}:${line}: ${target} leads nowhere`];
    if (anchor === undefined || !linked.endsWith(".md")) return [];
    return anchorsOf(repository.read(linked)).has(anchor) ? [] : [`${file}:${line}: ${target} has no such heading`];
  });
}

function unknownScripts({ file, text }: MarkdownDocument, { npmScripts }: DocumentedRepository): readonly string[] {
  return text.split("\n").flatMap((line, index) => {
    const named = [
      ...line.matchAll(/\bnpm run (?:--?[\w-]+ )*([a-z][\w:-]*)/g),
      ...line.matchAll(/\bnpm (start|test)\b/g),
    ];
    return named.flatMap(([, script = ""]) =>
      npmScripts.has(script) ? [] : [`${file}:${index + 1}: there is no npm script ${script}`],
    );
  });
}

/** Programs a reader may have that are not ours to check. */
const OTHER_PROGRAMS = new Set([
  "cat",
  "cd",
  "cp",
  "curl",
  "docker",
  "echo",
  "export",
  "git",
  "jq",
  "mkdir",
  "npm",
  "open",
]);
const SHELLS = new Set(["sh", "bash", "shell", "console"]);

function unknownCommands({ file, text }: MarkdownDocument, repository: DocumentedRepository): readonly string[] {
  const blocks = codeBlocksOf(text).filter(({ language }) => SHELLS.has(language));
  const commands = [
    ...blocks.flatMap(({ code, line, language }) =>
      shellCommands(code, language === "console").map((command) => ({ command, line, isMention: false })),
    ),
    ...codeSpansOf(text).flatMap(({ code, line }) =>
      /^(?:node|npx|quarry) /.test(code)
        ? shellCommands(code, false).map((command) => ({ command, line, isMention: true }))
        : [],
    ),
  ];
  return commands.flatMap(({ command, line, isMention }) => {
    const fault = faultOfCommand(command, repository, isMention);
    return fault === undefined ? [] : [`${file}:${line}: ${fault}`];
  });
}

/** The simple commands of a snippet: continuations joined, comments and here-documents' marks left out. */
export function shellCommands(code: string, isConsole: boolean): readonly string[] {
  return code
    .replaceAll(/\\\n\s*/g, " ")
    .split("\n")
    .filter((line) => !isConsole || line.startsWith("$ ")) // the rest is output
    .map((line) =>
      line
        .replace(/^\$ /, "")
        .replace(/(^|\s)#.*$/, "")
        .trim(),
    )
    .flatMap((line) => unquotedParts(line))
    .filter((command) => command !== "");
}

/** Splits at `&&`, `||`, `|`, `;` and `&` outside quotes; redirections of streams are dropped. */
function unquotedParts(line: string): readonly string[] {
  const parts = line.replaceAll(/\d?>&\d/g, "").match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|[^'"|;&])+/g) ?? [];
  return parts.map((part) => part.trim());
}

/** The words of a simple command as a shell hands them on, settings in front left out. */
export function shellWords(command: string): readonly string[] {
  const words = command.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"])+/g) ?? [];
  const first = words.findIndex((word) => !/^[A-Z_][A-Z0-9_]*=/.test(word));
  return words
    .slice(first === -1 ? words.length : first)
    .map((word) =>
      word.replaceAll(/'([^']*)'|"((?:\\.|[^"\\])*)"/g, (_, one?: string, two?: string) => one ?? two ?? ""),
    );
}

function faultOfCommand(command: string, repository: DocumentedRepository, isMention: boolean): string | undefined {
  const words = shellWords(command);
  const [program, ...rest] = words;
  if (program === undefined || OTHER_PROGRAMS.has(program)) return undefined;
  if (program === "node") return missingFile(rest, repository);
  if (program === "npx" && rest[0] === "vitest") return missingFile(rest.slice(2), repository);
  if (program === "quarry" || (program === "npx" && rest[0] === "quarry")) {
    const named = rest.slice(program === "npx" ? 1 : 0);
    const fault = repository.faultOfQuarry(named, isMention);
    return fault && `quarry ${named.join(" ")}: ${fault}`;
  }
  return `"${program}" is neither ours nor a program a reader has`;
}

/** The first file named, and the program after tools/run-typescript.mjs, must exist. */
function missingFile(words: readonly string[], { exists }: DocumentedRepository): string | undefined {
  if (words[0] === "-e" || words[0] === "-p") return undefined;
  const files = words.filter((word) => !word.startsWith("-"));
  const named = files[0] === "tools/run-typescript.mjs" ? files.slice(0, 2) : files.slice(0, 1);
  const missing = named.find((file) => !exists(file));
  return missing && `${missing} does not exist`;
}

function brokenSnippets({ file, text }: MarkdownDocument): readonly string[] {
  return codeBlocksOf(text).flatMap(({ language, code, line }) => {
    const fault = faultOfSnippet(language, code);
    return fault === undefined ? [] : [`${file}:${line}: ${fault}`];
  });
}

function faultOfSnippet(language: string, code: string): string | undefined {
  switch (language) {
    case "json":
      try {
        JSON.parse(code);
        return undefined;
      } catch (error) {
        return `the JSON does not parse: ${String(error)}`;
      }
    case "ts":
    case "typescript":
    case "js":
    case "javascript": {
      const { diagnostics = [] } = ts.transpileModule(code, {
        reportDiagnostics: true,
        compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext },
      });
      const [first] = diagnostics;
      return first && `the snippet does not parse: ${ts.flattenDiagnosticMessageText(first.messageText, " ")}`;
    }
    default:
      return undefined;
  }
}
