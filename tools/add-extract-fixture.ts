/**
 * Adds or renews extraction fixtures: what the extractor makes of `source.html` is written beside it, to be read and
 * corrected by a person before it is committed.
 *
 *   node tools/run-typescript.mjs tools/add-extract-fixture.ts SLUG URL FILE.html   adds a page (your own, never a copy)
 *   node tools/run-typescript.mjs tools/add-extract-fixture.ts --renew [SLUG]       writes the expectations anew
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { extractHtml } from "@quarry/extract";
import { toExpectation } from "../packages/extract/src/testing.ts";

const folder = path.join("packages", "extract", "fixtures");
const [first, second, third] = process.argv.slice(2);

if (first === "--renew") {
  for (const slug of second === undefined ? readdirSync(folder) : [second]) {
    const known = JSON.parse(readFileSync(path.join(folder, slug, "expected.json"), "utf8")) as {
      readonly url: string;
    };
    write(slug, known.url);
  }
} else if (first === undefined || second === undefined || third === undefined || !existsSync(third)) {
  process.stderr.write("usage: add-extract-fixture.ts SLUG URL FILE.html | --renew [SLUG]\n");
  process.exitCode = 2;
} else {
  mkdirSync(path.join(folder, first), { recursive: true });
  copyFileSync(third, path.join(folder, first, "source.html"));
  write(first, second);
}

function write(slug: string, url: string): void {
  const html = readFileSync(path.join(folder, slug, "source.html"), "utf8");
  const { json, markdown } = toExpectation(extractHtml({ url, html, now: new Date("2030-01-01T00:00:00Z") }));
  writeFileSync(path.join(folder, slug, "expected.json"), json);
  writeFileSync(path.join(folder, slug, "expected.md"), markdown);
  process.stdout.write(`wrote ${slug}: read expected.md and expected.json before you commit them\n`);
}
