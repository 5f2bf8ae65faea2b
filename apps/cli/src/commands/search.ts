import { searchReplySchema, searchTypes, type SearchType } from "@quarry/contract";
import { Option, type Command } from "commander";
import { callApi } from "../api-client.ts";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { collect, parseInstant, parseInteger } from "../option-values.ts";
import { renderResults, sayWarnings } from "../render-results.ts";

/** What `search` and `similar` both take. */
export interface ResultOptions {
  readonly num?: number;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly category?: string;
  readonly text?: boolean;
  readonly summary?: boolean;
  readonly highlights: boolean;
}

interface SearchOptions extends ResultOptions {
  readonly type?: SearchType;
  readonly also?: readonly string[];
}

/** Deep searches, and pages that are fetched first, take their time. */
export const SEARCH_TIMEOUT_MS = 120_000;

/** `quarry search QUERY`: the index, as the API searches it. */
export function addSearchCommand(program: Command, context: CliContext): void {
  const command = program
    .command("search")
    .description("search the index by words and by meaning")
    .argument("<query...>", 'words or a question; also "phrases", -word, site:example.com, title:word')
    .addOption(new Option("--type <type>", "how to search (auto)").choices([...searchTypes]))
    .option("--also <query>", "another wording, for the deep types; may be repeated", collect);
  addResultOptions(command)
    .addHelpText(
      "after",
      '\nExamples:\n  quarry search "how do volcanoes erupt" --num 5' +
        '\n  quarry search "release notes" --type keyword --include example.com/docs --since 2026-01-01' +
        '\n  quarry search "history of printing" --type deep --json | jq -r ".results[].url"',
    )
    .action(async (words: readonly string[], options: SearchOptions, self: Command) => {
      const io = openIo(context, self);
      const target = await connectServer(context, io);
      const query = words.join(" ");
      const body = { query, type: options.type, additionalQueries: options.also, ...toBody(options) };
      const request = { method: "POST", path: "/search", body, timeoutMs: SEARCH_TIMEOUT_MS } as const;
      const reply = await callApi(target, request, searchReplySchema, context.signal);
      io.print(reply, (output) => renderResults(output, reply.results, query));
      sayWarnings(io, reply.warnings);
    });
}

/** The options of a command that lists results. */
export function addResultOptions(command: Command): Command {
  return command
    .option("-n, --num <number>", "results at most (10)", parseInteger(1, 100))
    .option("--include <domain>", "only example.com, example.com/docs or *.example.com; may be repeated", collect)
    .option("--exclude <domain>", "none of this domain; may be repeated", collect)
    .option("--since <date>", "published on this day or later", parseInstant)
    .option("--until <date>", "published before this day", parseInstant)
    .option("--category <name>", "news, publication, company, people, github, pdf…")
    .option("--text", "show the pages' text")
    .option("--summary", "show summaries")
    .option("--no-highlights", "show titles and addresses alone");
}

/** What the options ask for, as the API takes it. */
export function toBody(options: ResultOptions) {
  return {
    numResults: options.num,
    includeDomains: options.include,
    excludeDomains: options.exclude,
    startPublishedDate: options.since,
    endPublishedDate: options.until,
    category: options.category,
    contents: {
      highlights: options.highlights ? true : undefined,
      text: options.text,
      summary: options.summary,
    },
  };
}
