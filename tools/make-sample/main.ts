import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs, promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { HTML_SOURCES } from "./html-sources.ts";
import { extractContent, packReading, type SamplePage } from "@quarry/ingest";
import type { SampleSource } from "./sample-source.ts";
import { TEXT_SOURCES } from "./text-sources.ts";

/**
 * Makes the sample's pages anew: `--debian` is a directory into which the Debian packages were unpacked (dpkg-deb -x),
 * `--npm` one with the npm packages below node_modules, `--out` the sample's folder. sample/README.md has the commands.
 */
const { values } = parseArgs({
  options: {
    debian: { type: "string" },
    npm: { type: "string" },
    out: { type: "string", default: "sample" },
    "fetched-at": { type: "string" },
  },
});
if (values.debian === undefined || values.npm === undefined) {
  process.stderr.write(
    "Usage: make-sample --debian <directory> --npm <directory> [--out sample]; see sample/README.md\n",
  );
  process.exit(2);
}

const madeAt = values["fetched-at"] ?? new Date().toISOString();
const compress = promisify(brotliCompress);
const rootOf = { debian: values.debian, npm: path.join(values.npm, "node_modules") } as const;
const pagesDirectory = path.join(values.out, "pages");
await rm(pagesDirectory, { recursive: true, force: true });
await mkdir(pagesDirectory, { recursive: true });

const manifest: unknown[] = [];
const listed: string[] = [];
for (const source of [...HTML_SOURCES, ...TEXT_SOURCES]) {
  const root = source.kind === "npm" ? path.join(rootOf.npm, source.package) : rootOf.debian;
  const pages = await Promise.all((await source.read(root)).map(addReading));
  const packed = await pack(pages);
  await writeFile(path.join(pagesDirectory, `${source.id}.ndjson.br`), packed);
  manifest.push(describeSource(source, pages));
  listed.push(`## ${source.name} (${source.licence})`, pages.map(({ url }) => `- <${url}>`).join("\n"));
  process.stdout.write(`${source.id}: ${pages.length} pages, ${Math.round(packed.length / 1024)} KB\n`);
}
await writeFile(
  path.join(values.out, "manifest.json"),
  `${JSON.stringify({ format: 1, fetchedAt: madeAt, sources: manifest }, undefined, 2)}\n`,
);
await writeFile(
  path.join(values.out, "PAGES.md"),
  ["# Pages of the sample, by source and licence", ...listed].join("\n\n") + "\n",
);

/** Pages of HTML are read now, so that no first start has to. */
async function addReading(page: SamplePage): Promise<SamplePage> {
  if (page.html === undefined) return page;
  const content = { kind: "bytes", bytes: Buffer.from(page.html), contentType: "text/html; charset=utf-8" } as const;
  const outcome = await extractContent({ url: page.url, content, now: new Date(madeAt) });
  if (outcome.kind === "unreadable") throw outcome.error;
  return { ...page, reading: packReading(outcome.reading) };
}

async function pack(pages: readonly SamplePage[]): Promise<Buffer> {
  const lines = pages.map((page) => `${JSON.stringify(page)}\n`).join("");
  return compress(Buffer.from(lines), {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(lines),
    },
  });
}

function describeSource(source: SampleSource, pages: readonly SamplePage[]): unknown {
  const { id, name, licence, attribution, package: packageName, kind } = source;
  return { id, name, licence, attribution, package: packageName, kind, pages: pages.length };
}
