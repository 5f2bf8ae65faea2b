import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { Writable } from "node:stream";
import { CommanderError, type Command } from "commander";
import { describe, expect, it } from "vitest";
import { buildProgram } from "../../apps/cli/src/program.ts";
import { verifies } from "../requirements/verifies.ts";
import { checkDocument, type DocumentedRepository } from "./check-documents.ts";
import { repositoryFiles, repositoryRoot } from "./repository-files.ts";

const read = (file: string): string => readFileSync(path.join(repositoryRoot, file), "utf8");
const packageJson = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };

/** The command tree with nothing behind it: a line that it takes is parsed to its end and does nothing. */
function inertProgram(): Command {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = { stream: nowhere, isTerminal: false, hasColors: false };
  const unused = (): never => {
    throw new Error("no command runs here");
  };
  const program = buildProgram(
    {
      version: "0.0.0",
      environment: {},
      cwd: repositoryRoot,
      readConfig: unused,
      stdout: output,
      stderr: output,
      stdinIsTerminal: false,
      readLine: unused,
      serverEntry: "",
      signal: new AbortController().signal,
    },
    () => undefined,
  );
  const disarm = (command: Command): void => {
    if (command.commands.length === 0 || command.registeredArguments.length > 0) command.action(() => undefined);
    command.commands.forEach(disarm);
  };
  disarm(program);
  return program;
}

function faultOfQuarry(words: readonly string[], isMention: boolean): string | undefined {
  const program = inertProgram();
  const named = isMention ? findCommand(program, words) : undefined;
  if (named !== undefined) return undefined;
  try {
    program.parse(words, { from: "user" });
    return undefined;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return undefined; // help and version
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/** The command that words lead to, when they are nothing but its name. */
function findCommand(program: Command, words: readonly string[]): Command | undefined {
  let command: Command | undefined = program;
  for (const word of words) {
    command = command?.commands.find((one) => one.name() === word || one.aliases().includes(word));
  }
  return command;
}

function realRepository(): DocumentedRepository {
  return {
    exists: (file) => existsSync(path.join(repositoryRoot, file)),
    read,
    npmScripts: new Set(Object.keys(packageJson.scripts)),
    faultOfQuarry,
  };
}

const documents = repositoryFiles().filter((file) => file.endsWith(".md") && !file.includes("/fixtures/"));

describe("the documents of this repository", () => {
  verifies("docs:files:present", "are all there", () => {
    const wanted = ["CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md", "docs/ARCHITECTURE.md"];
    expect(wanted.filter((file) => !existsSync(path.join(repositoryRoot, file)))).toEqual([]);
    expect(read("LICENSE")).toContain("Apache License");
  });

  verifies(
    ["docs:links:resolve", "docs:scripts:exist", "docs:readme:commands-exist", "docs:readme:snippets-parse"],
    "lead somewhere, name what exists and parse",
    () => {
      const repository = realRepository();
      expect(documents.flatMap((file) => checkDocument({ file, text: read(file) }, repository))).toEqual([]);
    },
  );

  verifies(
    "docs:architecture:glossary",
    "ARCHITECTURE has the way of the data, the glossary, a paragraph per room",
    () => {
      const text = read("docs/ARCHITECTURE.md");
      expect(text).toMatch(/^## The way of the data$/m);
      expect(text).toMatch(/^## .*[Gg]lossary/m);
      const rooms = new Set(
        repositoryFiles().flatMap((file) => /^packages\/([^/]+)\/package\.json$/.exec(file)?.[1] ?? []),
      );
      expect([...rooms].filter((room) => !text.includes(`**${room}**`))).toEqual([]);
    },
  );

  verifies("docs:llms:migration-from-exa", "a guide linked from README tells how to move from Exa", () => {
    expect(read("README.md")).toContain("(docs/moving-from-exa.md)");
    const guide = read("docs/moving-from-exa.md");
    for (const subject of ["exa-js", "exa-py", "base_url=", "quarry crawl", "QUARRY_PRICES", "livecrawl"]) {
      expect(guide).toContain(subject);
    }
  });

  verifies("docs:changelog:pending", "CHANGELOG has a Pending part", () => {
    expect(read("CHANGELOG.md")).toMatch(/^## Pending$/m);
  });

  verifies("docs:decisions:one-page", "a decision has its four parts and fits a page", () => {
    const decisions = documents.filter((file) => /^docs\/decisions\/\d{4}-[a-z0-9-]+\.md$/.test(file));
    expect(decisions.length).toBeGreaterThan(0);
    const parts = ["Context", "Decision", "Given up", "Would change our mind"];
    const faults = decisions.flatMap((file) => [
      ...parts.filter((part) => !read(file).includes(`**${part}.**`)).map((part) => `${file} lacks "${part}"`),
      ...(read(file).split("\n").length > 70 ? [`${file} is longer than a page`] : []),
    ]);
    expect(faults).toEqual([]);
  });

  verifies("workspace:layout:package-readme", "every package has a README of at most 20 lines", () => {
    const packages = repositoryFiles().filter((file) => /^packages\/[^/]+\/package\.json$/.test(file));
    const faults = packages.flatMap((file) => {
      const readme = file.replace("package.json", "README.md");
      if (!existsSync(path.join(repositoryRoot, readme))) return [`${readme} is missing`];
      const lines = read(readme).trimEnd().split("\n").length;
      return lines > 20 ? [`${readme} has ${lines} lines`] : [];
    });
    expect(faults).toEqual([]);
  });
});

/** A repository of two files, one script and one command; each case changes the text. */
const tiny: DocumentedRepository = {
  exists: (file) => ["docs/guide.md", "README.md", "tools/run.mjs"].includes(file),
  read: () => "# Guide\n\n## First steps\n",
  npmScripts: new Set(["start", "bench"]),
  faultOfQuarry: ([first]) => (first === "search" ? undefined : "unknown"),
};
const faultsOf = (text: string): readonly string[] => checkDocument({ file: "docs/guide.md", text }, tiny);

describe("a documented command line", () => {
  it.each([
    ["quarry keys create my-agent --scopes search"],
    ["quarry crawl https://example.com/ --max-pages 50"],
    ["quarry --help"],
  ])("is taken: %s", (line) => {
    expect(faultOfQuarry(line.split(" ").slice(1), false)).toBeUndefined();
  });

  it.each([
    ["quarry keys create --name my-agent", "unknown option '--name'"],
    ["quarry keys create", "missing required argument 'name'"],
    ["quarry keys crate x", "unknown command 'crate'"],
    ["quarry status now", "too many arguments"],
    ["quarry search x --num many", "--num"],
  ])("is refused: %s", (line, fault) => {
    expect(faultOfQuarry(line.split(" ").slice(1), false)).toContain(fault);
  });

  it("may name a command without its arguments in a sentence", () => {
    expect(faultOfQuarry(["keys", "create"], true)).toBeUndefined();
    expect(faultOfQuarry(["keys", "crate"], true)).toContain("unknown command");
  });
});

describe("checkDocument", () => {
  it.each([
    ["a relative link", "[readme](../README.md)"],
    ["a link to a heading", "[steps](#first-steps) and [again](guide.md#first-steps)"],
    ["a link elsewhere", "[site](https://example.com/nowhere)"],
    ["a link inside code", "`[not](a-link.md)`\n\n```md\n[nor](this.md)\n```"],
    ["known scripts", "`npm start`, `npm run bench -- --only x`, `npm run --silent bench`"],
    [
      "known commands",
      '```sh\nFOO=1 node tools/run.mjs --x && quarry search "a; b | c" | jq .\ncurl \\\n  -d \'{"a":1}\' x\n```',
    ],
    ["output of a console", "```console\n$ quarry search x\nanything at all\n```"],
    ["snippets that parse", '```ts\nconst a: number = await b();\n```\n```json\n{"a": [1]}\n```'],
  ])("passes %s", (_, text) => {
    expect(faultsOf(text)).toEqual([]);
  });

  it.each([
    ["a dead link", "\n[gone](gone.md)", "docs/guide.md:2: gone.md leads nowhere"],
    ["a link out of the repository", "[up](../../secret.md)", "docs/guide.md:1: ../../secret.md leads nowhere"],
    ["a dead reference", "[ref]: gone.png", "docs/guide.md:1: gone.png leads nowhere"],
    ["a dead image", '<img src="gone.png">', "docs/guide.md:1: gone.png leads nowhere"],
    ["a dead heading", "[steps](guide.md#last-steps)", "docs/guide.md:1: guide.md#last-steps has no such heading"],
    ["an unknown script", "`npm run bemch`", "docs/guide.md:1: there is no npm script bemch"],
    ["an unknown short script", "`npm test`", "docs/guide.md:1: there is no npm script test"],
    ["a missing file", "```sh\nnode tools/gone.mjs\n```", "docs/guide.md:1: tools/gone.mjs does not exist"],
    ["an unknown command", "```sh\nquarry serch x\n```", "docs/guide.md:1: quarry serch x: unknown"],
    [
      "an unknown program",
      "```sh\nfrobnicate\n```",
      'docs/guide.md:1: "frobnicate" is neither ours nor a program a reader has',
    ],
    [
      "a missing program in a sentence",
      "run `node tools/run.mjs` or `node tools/gone.mjs`",
      "docs/guide.md:1: tools/gone.mjs does not exist",
    ],
    ["broken JSON", "```json\n{a: 1}\n```", "docs/guide.md:1: the JSON does not parse"],
    ["broken TypeScript", "```ts\nconst = 1;\n```", "docs/guide.md:1: the snippet does not parse"],
  ])("finds %s", (_, text, fault) => {
    expect(faultsOf(text)).toEqual([expect.stringContaining(fault)]);
  });
});
