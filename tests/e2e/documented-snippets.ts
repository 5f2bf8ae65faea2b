import { readFileSync } from "node:fs";
import path from "node:path";
import { shellCommands, shellWords } from "../repo/check-documents.ts";
import { codeBlocksOf } from "../repo/markdown.ts";
import { repositoryFiles, repositoryRoot } from "../repo/repository-files.ts";

/** Something that the documents give to paste: a command of a shell block, or any other block as a whole. */
export interface Snippet {
  readonly file: string;
  readonly language: string;
  readonly code: string;
}

/** What pastes a snippet: each is a part of a test that takes all of its kind. */
export type SnippetRunner =
  | "curl" // first-start.test.ts
  | "quarry" // first-start.test.ts
  | "exa-client" // first-start.test.ts
  | "clean-up" // first-start.test.ts
  | "start" // documents.test.ts, as the rest
  | "listen"
  | "receiver"
  | "mcp-config"
  | "policy";

/** Commands that no test pastes, and why. */
export const UNPASTED_COMMANDS: Readonly<Record<string, string>> = {
  "export QUARRY_API_KEY=…": "the reader's key; what follows it gets the key of its server",
  "docker compose up": "asks for a container engine; tests/repo/container.test.ts reads what it would read",
  "npm ci": "a clone installs itself in tests/e2e/fresh-clone.test.ts",
  "npm run check": "is this run of the tests, after the lint",
  "npm test": "is this run of the tests; a clone runs it in tests/e2e/fresh-clone.test.ts",
  "npx vitest run packages/store/src/events.test.ts": "is a part of this run of the tests",
  "npx vitest run packages/store": "is a part of this run of the tests",
  "npm run soak -- --only jobs --seed 7": "takes an hour; tests/e2e/jobs.test.ts runs a part of it",
  "npm run bench -- --only startup": "runs in tests/e2e/commands.test.ts, smaller",
  "npm run eval -- --only extract": "runs in tests/e2e/commands.test.ts",
  "node tools/run-typescript.mjs tools/make-sample/main.ts --debian work/debian --npm work/npm":
    "reads packages of Debian; tests/repo/sample.test.ts reads what it made",
  "node tools/run-typescript.mjs tools/make-sample/vectors.ts": "follows the one above",
};

/** Documents with blocks that nobody pastes into Quarry, and what those are. */
export const UNPASTED_BLOCKS: Readonly<Record<string, string>> = {
  "docs/ARCHITECTURE.md": "the way of the data, drawn",
  "sample/LICENCES.md": "words of licences",
  "sample/README.md": "getting packages of Debian and of npm",
};

const SHELLS: readonly string[] = ["sh", "bash", "shell", "console"];

/** Everything that the documents give to paste, in the order in which it is read. */
export function documentedSnippets(): readonly Snippet[] {
  return repositoryFiles()
    .filter((file) => file.endsWith(".md") && !file.includes("/fixtures/"))
    .flatMap((file) =>
      codeBlocksOf(readFileSync(path.join(repositoryRoot, file), "utf8")).flatMap(({ language, code }) =>
        SHELLS.includes(language)
          ? shellCommands(code, language === "console").map((command) => ({ file, language, code: command }))
          : [{ file, language, code }],
      ),
    );
}

/** The snippets of the documents that a runner pastes. */
export function snippetsOf(runner: SnippetRunner): readonly Snippet[] {
  return documentedSnippets().filter((snippet) => runnerOf(snippet) === runner);
}

/** Who pastes a snippet, undefined for one that nobody does. */
export function runnerOf({ language, code }: Snippet): SnippetRunner | undefined {
  if (SHELLS.includes(language)) return runnerOfCommand(code);
  if (language === "js") return code.includes('from "exa-js"') ? "exa-client" : "receiver";
  if (language !== "json") return undefined;
  return code.includes('"mcpServers"') ? "mcp-config" : code.includes('"rules"') ? "policy" : undefined;
}

function runnerOfCommand(command: string): SnippetRunner | undefined {
  const [program, first, ...rest] = shellWords(command);
  if (program === "curl") return command.includes("-X DELETE") ? "clean-up" : "curl";
  if (program === "npm" && first === "start") return "start";
  if (program !== "quarry" && !(program === "npx" && first === "quarry")) return undefined;
  const [group, name] = program === "npx" ? rest : [first, ...rest];
  return group === "webhooks" && name === "listen" ? "listen" : "quarry";
}

/** Snippets that are neither pasted by a test nor said to be left out, and what is said of snippets that are gone. */
export function faultsOfInventory(snippets: readonly Snippet[]): readonly string[] {
  const unpasted = snippets.filter((snippet) => runnerOf(snippet) === undefined);
  const isSaid = ({ file, language, code }: Snippet): boolean =>
    SHELLS.includes(language)
      ? Object.hasOwn(UNPASTED_COMMANDS, code)
      : ["", "text"].includes(language) && Object.hasOwn(UNPASTED_BLOCKS, file);
  return [
    ...unpasted.filter((snippet) => !isSaid(snippet)).map(({ file, code }) => `${file}: nothing pastes ${code}`),
    ...Object.keys(UNPASTED_COMMANDS)
      .filter((command) => !unpasted.some(({ code }) => code === command))
      .map((command) => `no document has ${command}`),
    ...Object.keys(UNPASTED_BLOCKS)
      .filter((document) => !unpasted.some(({ file, language }) => file === document && !SHELLS.includes(language)))
      .map((document) => `${document} has no such block`),
  ];
}
