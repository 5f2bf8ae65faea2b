import { statSync } from "node:fs";
import { AppError, isUrl } from "@quarry/base";
import { MAX_CRAWL_PAGES } from "@quarry/contract";
import { DEFAULT_BASE_URL, readImport } from "@quarry/ingest";
import type { ImportItem } from "@quarry/ingest";
import type { Command } from "commander";
import { InvalidArgumentError } from "commander";
import type { ApiTarget } from "../api-client.ts";
import type { CliContext, Output } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import type { CommandIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { EXIT_CODES } from "../exit-code.ts";
import type { EndWith } from "../exit-code.ts";
import { formatBytes } from "../format.ts";
import { parseInteger } from "../option-values.ts";
import { countGood } from "../render-crawl.ts";
import { beginCrawl, watchCrawl } from "../run-crawl.ts";
import { NO_COUNTS, sendImport } from "../send-import.ts";
import type { ImportCounts, ImportFailure } from "../send-import.ts";
import { renderPairs } from "../table.ts";
import { tellBacklog } from "../tell-backlog.ts";

interface ImportOptions {
  readonly shared?: boolean;
  readonly category?: string;
  readonly baseUrl: string;
  readonly maxPages: number;
  readonly delay?: number;
}

/** Failures that are shown; the others are counted. */
const SHOWN_FAILURES = 10;
const DEFAULT_SITEMAP_PAGES = 10_000;

/** `quarry index import`: files, archives and sitemaps into the index. */
export function addIndexImport(index: Command, context: CliContext, endWith: EndWith): void {
  index
    .command("import")
    .description(
      "read files into the index: NDJSON, WARC, WET, HTML, Markdown, text, PDF, DOCX, PPTX, EPUB; or a sitemap",
    )
    .argument("<file...>", "files, folders (read with all below them), or the address of a sitemap")
    .option("--shared", "give the documents to every team; only the team that runs the server may")
    .option("--category <name>", "category of every document that comes without one")
    .option(
      "--base-url <url>",
      "address of the folder (of what holds the folders, where several are named), for files without one of their own",
      parseBase,
      DEFAULT_BASE_URL,
    )
    .option(
      "--max-pages <number>",
      "pages of a sitemap at most",
      parseInteger(1, MAX_CRAWL_PAGES),
      DEFAULT_SITEMAP_PAGES,
    )
    .option("--delay <ms>", "pause between two pages of a sitemap (1000)", parseInteger(0, 600_000))
    .addHelpText(
      "after",
      "\nA file is kept under the address its page names by <link rel=canonical>; else under the base address with its\n" +
        "path in the folder (with the folder's name too, where several are named or no base address is given). Documents are put by address: an import that broke off can be run again.\n" +
        "Files larger than 56 MB are refused, archives of any size are read as they come.\n" +
        "Exit code 6 when some could not be imported, 1 when none could.\n" +
        "\nExamples:\n  quarry index import documents.ndjson" +
        "\n  quarry index import ./handbook --base-url https://handbook.example.com/ --category handbook" +
        "\n  quarry index import CC-MAIN-*.warc.gz\n  quarry index import https://example.com/sitemap.xml",
    )
    .action(async (files: readonly string[], options: ImportOptions, command: Command) => {
      const io = openIo(context, command);
      const sitemaps = files.filter(isAddress);
      if (sitemaps.length > 0 && options.shared === true) {
        throw new AppError("invalid_request", "--shared is for files; pages of a sitemap belong to the team");
      }
      const target = await connectServer(context, io);
      const paths = files.filter((file) => !isAddress(file));
      const { counts, failures } = await importFiles(context, io, target, { paths, options });
      let total = counts;
      for (const sitemap of sitemaps) total = await importSitemap(context, io, target, { sitemap, options, total });
      io.print({ ...total, failures }, (output) => renderCounts(output, total));
      for (const { place, message } of failures) io.warn(`${place}: ${message}`);
      if (counts.failed > failures.length) io.warn(`and ${counts.failed - failures.length} more`);
      const good = total.created + total.updated + total.unchanged;
      if (good > 0) await tellBacklog(context, io, target);
      if (total.failed > 0) endWith(good === 0 ? EXIT_CODES.error : EXIT_CODES.partial);
    });
}

async function importFiles(
  context: CliContext,
  io: CommandIo,
  target: ApiTarget,
  { paths, options }: { readonly paths: readonly string[]; readonly options: ImportOptions },
): Promise<{ readonly counts: ImportCounts; readonly failures: readonly ImportFailure[] }> {
  const { signal } = context;
  const begunAt = performance.now();
  const failures: ImportFailure[] = [];
  let counts = NO_COUNTS;
  async function* items(): AsyncGenerator<ImportItem> {
    const { baseUrl } = options;
    const keepsFolderName = baseUrl === DEFAULT_BASE_URL || paths.filter(isFolder).length > 1;
    for (const path of paths) yield* readImport(path, { baseUrl, keepsFolderName, now: new Date(), signal });
  }
  const sending = {
    target,
    shared: options.shared === true,
    category: options.category,
    software: `Quarry/${context.version}`,
    signal,
  };
  try {
    for await (const step of sendImport(items(), sending)) {
      counts = step.counts;
      failures.push(...step.failures.slice(0, SHOWN_FAILURES - failures.length));
      io.sayInPlace(renderLine(counts, (performance.now() - begunAt) / 1_000));
    }
    return { counts, failures };
  } catch (error) {
    io.sayInPlace("");
    const kept = counts.created + counts.updated + counts.unchanged;
    if (kept > 0) io.say(`${kept} documents are in the index; run the import again to go on, nothing is doubled.`);
    throw error;
  } finally {
    io.sayInPlace("");
  }
}

/** A sitemap is crawled: its pages, and no link of theirs. */
async function importSitemap(
  context: CliContext,
  io: CommandIo,
  target: ApiTarget,
  wish: { readonly sitemap: string; readonly options: ImportOptions; readonly total: ImportCounts },
): Promise<ImportCounts> {
  const { sitemap, total } = wish;
  const { maxPages, delay, category } = wish.options;
  const begun = await beginCrawl(context, target, { sitemap, maxPages, maxDepth: 0, delayMs: delay, category });
  io.say(`Crawling ${sitemap} as ${begun.id}`);
  const crawl = await watchCrawl(context, io, target, begun.id);
  const good = countGood(crawl);
  return {
    ...total,
    created: total.created + (crawl.pagesByStatus["fetched"] ?? 0),
    unchanged: total.unchanged + (crawl.pagesByStatus["not-modified"] ?? 0),
    failed: total.failed + (good === 0 ? Math.max(1, crawl.progress.failed) : crawl.progress.failed),
    bytes: total.bytes + crawl.progress.bytes,
  };
}

function renderLine(counts: ImportCounts, seconds: number): string {
  const done = counts.created + counts.updated + counts.unchanged;
  const rate = seconds < 1 ? "" : `, ${Math.round(done / seconds)}/s`;
  const failed = counts.failed === 0 ? "" : `, ${counts.failed} failed`;
  return `Importing… ${done} documents${failed}, ${formatBytes(counts.bytes)}${rate}`;
}

function renderCounts(output: Output, counts: ImportCounts): string {
  const pairs = [
    ["Created", counts.created],
    ["Updated", counts.updated],
    ["Unchanged", counts.unchanged],
    ["Skipped", counts.skipped],
    ["Failed", counts.failed],
  ] as const;
  return renderPairs(
    output,
    pairs.map(([label, count]) => [label, String(count)]),
  );
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function parseBase(text: string): string {
  if (!isAddress(text) || !isUrl(text)) throw new InvalidArgumentError("Expected an http or https address.");
  return text.endsWith("/") ? text : `${text}/`;
}
