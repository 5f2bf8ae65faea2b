import {
  ENRICHMENT_FORMATS,
  ENTITY_TYPES,
  pageOf,
  websetEstimateSchema,
  websetExplanationSchema,
  websetSchema,
} from "@quarry/contract";
import { AppError } from "@quarry/base";
import type { Command } from "commander";
import { callApi, type ApiRequest } from "../api-client.ts";
import type { CliContext } from "../cli-context.ts";
import { openIo, type CommandIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { listAll } from "../list-all.ts";
import { collect, parseInteger } from "../option-values.ts";
import { describeProgress, renderGrid } from "../render-grid.ts";
import { renderPairs, renderTable } from "../table.ts";
import { readWatched, watchWebset } from "../watch-webset.ts";
import { addWebsetExportCommand } from "./websets-export.ts";

const WIRE = "/websets/v0/websets";
const OWN = "/quarry/v1/websets";
const PAGE_SIZE = 100;
const MAX_COUNT = 50_000;

/** `quarry websets …`: lists of entities found by criteria. */
export function addWebsetsCommand(program: Command, context: CliContext): void {
  const websets = program.command("websets").description("lists of entities, found by criteria and enriched");
  addCreate(websets, context);
  addEstimate(websets, context);
  addList(websets, context);
  addGet(websets, context);
  addItems(websets, context);
  addSteering(websets, context);
  addWebsetExportCommand(websets, context);
}

/** `quarry explain <id>`: what a webset waits for, and what it turned down. */
export function addExplainCommand(program: Command, context: CliContext): void {
  program
    .command("explain")
    .description("say what a webset waits for, and what it turned down and why")
    .argument("<webset>", "its id or externalId")
    .addHelpText("after", "\nExamples:\n  quarry explain webset_01k…")
    .action(async (id: string, _options: unknown, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const request = { method: "GET", path: `${OWN}/${encodeURIComponent(id)}/explain` } as const;
      const explained = await callApi(target, request, websetExplanationSchema, context.signal);
      io.print(explained, (output) => {
        const reasons = explained.waitingFor.map(({ kind, id: part, text }) => `- ${kind} ${part ?? ""}: ${text}`);
        const counts = Object.entries(explained.counts).map(([name, count]) => [name, String(count)] as const);
        const turnedDown = explained.turnedDown.map(
          ({ name, url, criterion, satisfied, reasoning }) =>
            `- ${name} (${url}): “${criterion}” ${satisfied === "no" ? "is not met" : "is unclear"}. ${reasoning}`,
        );
        const below = turnedDown.length === 0 ? [] : ["", "Turned down, the latest first:", ...turnedDown];
        return [explained.summary, ...reasons, "", renderPairs(output, counts), ...below].join("\n");
      });
    });
}

interface CreateOptions {
  readonly criteria?: readonly string[];
  readonly enrich?: readonly string[];
  readonly entity?: string;
  readonly count?: number;
  readonly externalId?: string;
  readonly maxPages?: number;
  readonly recall?: boolean;
  readonly watch?: boolean;
}

/** What a webset is made of; shared with the estimate. */
function addWishOptions(command: Command): Command {
  return command
    .argument("<query>", "what to list, in words")
    .option("--criteria <text>", "what each must meet; repeat for more, 5 at most", collect)
    .option("--enrich <text>", `a column, "text" or "format: text" (${ENRICHMENT_FORMATS.join(", ")}); repeat`, collect)
    .option("--entity <type>", `${ENTITY_TYPES.join(", ")}, or words of your own`)
    .option("--count <number>", "how many to find", parseInteger(1, MAX_COUNT))
    .option("--external-id <id>", "a name of your own for the webset")
    .option("--max-pages <number>", "pages that may be read, never more", parseInteger(0, 1_000_000_000))
    .option("--recall", "estimate how many there are in all");
}

function addCreate(websets: Command, context: CliContext): void {
  addWishOptions(websets.command("create"))
    .description("find entities and list them")
    .option("--watch", "show the grid as it fills, until all is done")
    .addHelpText(
      "after",
      '\nExamples:\n  quarry websets create "companies that make cargo bikes" --criteria "makes cargo bikes" \\\n' +
        '    --enrich "number: how many employees" --enrich "email: contact address" --watch',
    )
    .action(async (query: string, options: CreateOptions, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const request = { method: "POST", path: WIRE, body: toBody(query, options) } as const;
      const made = await callApi(target, request, websetSchema, context.signal);
      if (options.watch !== true) {
        io.print(made, () => made.id);
        return;
      }
      const { webset, items } = await watchWebset(context, io, target, made.id);
      io.print({ webset, items }, (output) => `${webset.id}\n${renderGrid(output, webset, items)}`);
    });
}

function addEstimate(websets: Command, context: CliContext): void {
  addWishOptions(websets.command("estimate"))
    .description("tell what a webset would take at most, without making it")
    .addHelpText("after", '\nExamples:\n  quarry websets estimate "companies that make cargo bikes" --count 50')
    .action(async (query: string, options: CreateOptions, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const request = { method: "POST", path: `${OWN}/estimate`, body: toBody(query, options) } as const;
      const { caps, ...estimate } = await callApi(target, request, websetEstimateSchema, context.signal);
      io.print({ ...estimate, caps }, (output) =>
        renderPairs(
          output,
          Object.entries(estimate).map(([name, value]) => [name, String(value)] as const),
        ),
      );
    });
}

/** The body of a new webset. */
function toBody(query: string, options: CreateOptions): Record<string, unknown> {
  const { criteria, enrich, entity, count, externalId, maxPages, recall } = options;
  return {
    search: {
      query,
      count,
      recall,
      entity: entity === undefined ? undefined : toEntity(entity),
      criteria: criteria?.map((description) => ({ description })),
    },
    enrichments: enrich?.map(toEnrichment),
    externalId,
    quarry: maxPages === undefined ? undefined : { caps: { pages: maxPages } },
  };
}

function toEntity(words: string): Record<string, string> {
  const known = ENTITY_TYPES.find((type) => type === words);
  return known === undefined ? { type: "custom", description: words } : { type: known };
}

/** "number: how many employees", or the question alone. */
function toEnrichment(text: string): Record<string, unknown> {
  const [, word = "", rest = ""] = /^\s*([a-z]+)\s*:\s*(.+)$/s.exec(text) ?? [];
  const format = ENRICHMENT_FORMATS.find((one) => one === word);
  if (format === undefined) return { description: text };
  if (format !== "options") return { description: rest, format };
  const [, description = "", labels = ""] = /^([^[]*)\[(.+)\]\s*$/s.exec(rest) ?? [];
  if (labels === "") {
    throw new AppError(
      "invalid_request",
      `--enrich "${text}": name the options in brackets: "options: size [small, big]"`,
    );
  }
  return {
    description: description.trimEnd(),
    format,
    options: labels.split(",").map((label) => ({ label: label.trim() })),
  };
}

function addList(websets: Command, context: CliContext): void {
  websets
    .command("list")
    .alias("ls")
    .description("list the team's websets, newest first")
    .option("--search <text>", "only those with this in id, externalId or title")
    .addHelpText("after", "\nExamples:\n  quarry websets list\n  quarry websets list --search bikes --json")
    .action(async (options: { readonly search?: string }, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const question = { path: WIRE, pageSize: PAGE_SIZE, query: { search: options.search } };
      const data = await listAll(target, question, pageOf(websetSchema), context.signal);
      io.print({ data }, (output) =>
        renderTable(
          output,
          [
            { heading: "id", text: ({ id }) => id },
            { heading: "status", text: ({ status }) => status },
            { heading: "progress", text: (webset) => describeProgress(webset).replace(/^\w+: /, "") },
            { heading: "title", text: ({ title }) => title ?? "" },
          ],
          data,
        ),
      );
    });
}

function addGet(websets: Command, context: CliContext): void {
  websets
    .command("get")
    .description("show a webset and its grid")
    .argument("<webset>", "its id or externalId")
    .option("--watch", "show the grid as it fills, until all is done")
    .addHelpText("after", "\nExamples:\n  quarry websets get webset_01k…\n  quarry websets get my-list --watch")
    .action(async (id: string, options: { readonly watch?: boolean }, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const { webset, items } =
        options.watch === true
          ? await watchWebset(context, io, target, id)
          : await readWatched(target, id, context.signal);
      io.print({ webset, items }, (output) => {
        const facts = [
          ["id", webset.id],
          ["title", webset.title ?? ""],
          ["status", describeProgress(webset)],
        ] as const;
        return `${renderPairs(output, facts)}\n\n${renderGrid(output, webset, items)}`;
      });
    });
}

function addItems(websets: Command, context: CliContext): void {
  websets
    .command("items")
    .description("print a webset's items with their answers")
    .argument("<webset>", "its id or externalId")
    .addHelpText("after", "\nExamples:\n  quarry websets items webset_01k… --json | jq '.data[].url'")
    .action(async (id: string, _options: unknown, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const { webset, items } = await readWatched(target, id, context.signal);
      io.print({ data: items }, (output) => renderGrid(output, webset, items));
    });
}

/** The moves that take a webset and answer it. */
function addSteering(websets: Command, context: CliContext): void {
  const add = (name: string, description: string, toRequest: (place: string) => ApiRequest): void => {
    websets
      .command(name)
      .description(description)
      .argument("<webset>", "its id or externalId")
      .addHelpText("after", `\nExamples:\n  quarry websets ${name} webset_01k…`)
      .action(async (id: string, _options: unknown, command: Command) => {
        const io: CommandIo = openIo(context, command);
        const target = await connectServer(context, io);
        const webset = await callApi(target, toRequest(encodeURIComponent(id)), websetSchema, context.signal);
        io.print(webset, () => (name === "delete" ? `${webset.id} deleted` : `${webset.id} ${webset.status}`));
      });
  };
  add("cancel", "end what runs; what was found stays", (place) => ({
    method: "POST",
    path: `${WIRE}/${place}/cancel`,
  }));
  add("pause", "start nothing new; what runs finishes", (place) => ({ method: "POST", path: `${OWN}/${place}/pause` }));
  add("resume", "let a paused webset go on", (place) => ({ method: "POST", path: `${OWN}/${place}/resume` }));
  add("delete", "delete a webset with its items", (place) => ({ method: "DELETE", path: `${WIRE}/${place}` }));
}
