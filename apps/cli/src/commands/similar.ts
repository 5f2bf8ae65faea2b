import { findSimilarReplySchema } from "@quarry/contract";
import type { Command } from "commander";
import { callApi } from "../api-client.ts";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { renderResults, sayWarnings } from "../render-results.ts";
import { addResultOptions, SEARCH_TIMEOUT_MS, toBody, type ResultOptions } from "./search.ts";

interface SimilarOptions extends ResultOptions {
  readonly otherSites?: boolean;
}

/** `quarry similar URL`: pages like a page. */
export function addSimilarCommand(program: Command, context: CliContext): void {
  const command = program
    .command("similar")
    .description("find pages like the page of an address, which is fetched when it is not stored")
    .argument("<url>", "the page")
    .option("--other-sites", "no pages of the same domain");
  addResultOptions(command)
    .addHelpText("after", "\nExamples:\n  quarry similar https://example.com/article --num 5 --other-sites")
    .action(async (url: string, options: SimilarOptions, self: Command) => {
      const io = openIo(context, self);
      const target = await connectServer(context, io);
      const body = { url, excludeSourceDomain: options.otherSites, ...toBody(options) };
      const request = { method: "POST", path: "/findSimilar", body, timeoutMs: SEARCH_TIMEOUT_MS } as const;
      const reply = await callApi(target, request, findSimilarReplySchema, context.signal);
      io.print(reply, (output) => renderResults(output, reply.results, ""));
      sayWarnings(io, reply.warnings);
    });
}
