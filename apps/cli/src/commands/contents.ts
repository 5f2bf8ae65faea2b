import { contentsReplySchema } from "@quarry/contract";
import type { Command } from "commander";
import { callApi } from "../api-client.ts";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { EXIT_CODES, type EndWith } from "../exit-code.ts";
import { parseInteger } from "../option-values.ts";
import { renderPages } from "../render-results.ts";
import { SEARCH_TIMEOUT_MS } from "./search.ts";

interface ContentsOptions {
  readonly maxCharacters?: number;
  readonly html?: boolean;
  readonly summary?: boolean;
  readonly query?: string;
  readonly fresh?: boolean;
  readonly cached?: boolean;
}

/** `quarry contents URL…`: pages' texts, stored or fetched now. */
export function addContentsCommand(program: Command, context: CliContext, endWith: EndWith): void {
  program
    .command("contents")
    .description("show the text of pages: stored ones, or fetched now")
    .argument("<url...>", "1 to 100 addresses")
    .option("--max-characters <number>", "of each text", parseInteger(1, 10_000))
    .option("--html", "light HTML instead of Markdown")
    .option("--summary", "a summary instead of the text")
    .option("--query <words>", "the best sentences for these words instead of the text")
    .option("--fresh", "fetch, also what is stored")
    .option("--cached", "what is stored alone")
    .addHelpText(
      "after",
      "\nPages that cannot be read are named on stderr; the exit code is then 6, or 4 when none could be.\n" +
        "\nExamples:\n  quarry contents https://example.com/" +
        '\n  quarry contents https://example.com/ https://example.org/ --query "opening hours" --json',
    )
    .action(async (urls: readonly string[], options: ContentsOptions, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const body = { urls, ...toBody(options) };
      const request = { method: "POST", path: "/contents", body, timeoutMs: SEARCH_TIMEOUT_MS } as const;
      const reply = await callApi(target, request, contentsReplySchema, context.signal);
      io.print(reply, (output) => renderPages(output, reply.results));
      const failed = reply.statuses.filter(({ status }) => status === "error");
      for (const { id, error } of failed) io.warn(`${id} could not be read: ${error?.tag ?? "unknown"}`);
      if (failed.length > 0) endWith(failed.length === urls.length ? EXIT_CODES.notFound : EXIT_CODES.partial);
    });
}

function toBody({ maxCharacters, html, summary, query, fresh, cached }: ContentsOptions) {
  const text = { maxCharacters, includeHtmlTags: html };
  return {
    ...(summary === true || query !== undefined ? {} : { text }),
    summary: summary === true ? { query } : undefined,
    highlights: query === undefined ? undefined : { query, maxCharacters },
    maxAgeHours: cached === true ? -1 : fresh === true ? 0 : undefined,
  };
}
