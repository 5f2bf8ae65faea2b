import { mapReplySchema } from "@quarry/contract";
import type { Command } from "commander";
import { callApi } from "../api-client.ts";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { parseInteger } from "../option-values.ts";

/** Sitemaps of sitemaps take their time. */
const MAP_TIMEOUT_MS = 5 * 60 * 1000;

/** `quarry map URL`: a site's URLs, one a line. */
export function addMapCommand(program: Command, context: CliContext): void {
  program
    .command("map")
    .description("list a site's URLs from its sitemaps and its first page, without crawling it")
    .argument("<url>", "the site")
    .option("--limit <number>", "URLs at most (5000)", parseInteger(1, 100_000))
    .addHelpText(
      "after",
      "\nExamples:\n  quarry map https://example.com\n  quarry map https://example.com | grep /docs/",
    )
    .action(async (url: string, { limit }: { readonly limit?: number }, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      io.sayInPlace(`Mapping ${url}…`);
      const request = {
        method: "POST",
        path: "/quarry/v1/map",
        body: { url, limit },
        timeoutMs: MAP_TIMEOUT_MS,
      } as const;
      const map = await callApi(target, request, mapReplySchema, context.signal).finally(() => io.sayInPlace(""));
      io.print(map, () => map.urls.map((found) => `${found}\n`).join(""));
      const more = map.truncated ? "; there are more, see --limit" : "";
      io.say(`${map.urls.length} URLs from ${map.sources.length} places${more}`);
    });
}
