import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { DEFAULT_BASE_URL, readImport, type ImportItem } from "./read-import.ts";
import { readLines } from "./read-lines.ts";

const now = new Date("2026-03-01T12:00:00.000Z");

/** A folder with these files, gone when the test ends. */
function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), "quarry-import-")), "docs");
  onTestFinished(() => rmSync(path.dirname(folder), { recursive: true, force: true }));
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  return folder;
}

async function read(
  given: string,
  { baseUrl = DEFAULT_BASE_URL, keepsFolderName = true } = {},
): Promise<readonly ImportItem[]> {
  const { signal } = new AbortController();
  const items: ImportItem[] = [];
  for await (const item of readImport(given, { baseUrl, keepsFolderName, now, signal })) items.push(item);
  return items;
}

const summary = (items: readonly ImportItem[], folder: string): readonly unknown[] =>
  items.map((item) => {
    const place = path.relative(folder, item.place);
    if (item.kind === "page")
      return [place, item.page.url, item.page.content.kind === "bytes" ? item.page.content.contentType : "text"];
    return [place, item.kind, item.kind === "skipped" ? item.reason : ""];
  });

it("reads the pages below a folder, by name, under the base address; hidden files and links are left out", async () => {
  const folder = folderOf({
    "b.md": "# B",
    "a b/ü.html": "<title>x</title>",
    "a b/own.htm": `<LINK href='https://e.org/own?a=1&amp;b=2#x' rel="canonical">`,
    "relative.html": `<link rel=canonical href=/own>`,
    "c.pdf": "%PDF-1.4",
    "d.docx": "PK",
    "empty.txt": "",
    "picture.png": "x",
    ".git/config.txt": "no",
  });
  symlinkSync(folder, path.join(folder, "loop"));
  expect(summary(await read(folder), folder)).toEqual([
    ["a b/own.htm", "https://e.org/own?a=1&b=2", "text/html"],
    ["a b/ü.html", "https://files.invalid/docs/a%20b/%C3%BC.html", "text/html"],
    ["b.md", "https://files.invalid/docs/b.md", "text/markdown"],
    ["c.pdf", "https://files.invalid/docs/c.pdf", "application/pdf"],
    ["d.docx", "https://files.invalid/docs/d.docx", expect.stringContaining("wordprocessingml")],
    ["empty.txt", "skipped", "empty"],
    ["picture.png", "skipped", ".png"],
    ["relative.html", "https://files.invalid/docs/relative.html", "text/html"],
  ]);
});

it("takes the base address for that of the folder, so that a copy of a site has the site's addresses", async () => {
  const folder = folderOf({ "index.html": "<title>x</title>", "a/b.html": "<title>y</title>" });
  const items = await read(folder, { baseUrl: "https://e.org/manual/", keepsFolderName: false });
  expect(summary(items, folder)).toEqual([
    ["a/b.html", "https://e.org/manual/a/b.html", "text/html"],
    ["index.html", "https://e.org/manual/index.html", "text/html"],
  ]);
});

it("puts a file under the base address it is given, and says what a named file of no known kind is", async () => {
  const folder = folderOf({ "a.md": "# A", "b.xyz": "?" });
  expect(await read(path.join(folder, "a.md"), { baseUrl: "https://e.org/base/" })).toMatchObject([
    { page: { url: "https://e.org/base/a.md", fetchedAt: now } },
  ]);
  expect(await read(path.join(folder, "b.xyz"))).toMatchObject([
    { kind: "failed", message: expect.stringContaining("its ending is none of html") as string },
  ]);
  await expect(read(path.join(folder, "none"))).rejects.toMatchObject({ code: "not_found" });
});

it.each([
  ["plain", "docs.ndjson", (text: string) => Buffer.from(text)],
  ["gzip", "docs.jsonl.gz", (text: string) => gzipSync(text)],
])("reads NDJSON (%s) and tells each bad line by its number", async (_name, name, pack) => {
  const lines = ['\uFEFF{"url":"https://e.org/1","text":"one"}', "", "{not json", "[1]", '{"url":"https://e.org/2"}'];
  const folder = folderOf({ [name]: pack(lines.join("\r\n")) });
  const file = path.join(folder, name);
  expect(await read(file)).toMatchObject([
    { kind: "document", place: `${file}:1`, document: { url: "https://e.org/1", text: "one" } },
    { kind: "failed", place: `${file}:3` },
    { kind: "failed", place: `${file}:4` },
    { kind: "document", place: `${file}:5`, document: { url: "https://e.org/2" } },
  ]);
});

it("takes a line of an export as it is, and leaves unknown fields for the server to refuse", async () => {
  const exported = { url: "https://e.org/1", text: "x", markdown: "x", language: "en", version: 3, wordCount: 1 };
  const folder = folderOf({ "a.ndjson": JSON.stringify({ ...exported, tilte: "x" }) });
  expect(await read(folder)).toMatchObject([{ document: { url: "https://e.org/1", text: "x", tilte: "x" } }]);
  const [item] = await read(folder);
  expect(item?.kind === "document" && Object.keys(item.document)).toEqual(["url", "text", "language", "tilte"]);
});

it("goes on after a file that is not what its name says", async () => {
  const folder = folderOf({ "a.ndjson.gz": "no gzip", "b.warc": "no archive", "c.txt": "fine" });
  expect(summary(await read(folder), folder)).toEqual([
    ["a.ndjson.gz", "failed", ""],
    ["b.warc", "failed", ""],
    ["c.txt", "https://files.invalid/docs/c.txt", "text/plain"],
  ]);
});

it("joins lines over chunks and keeps nothing of one that is too long", async () => {
  // eslint-disable-next-line @typescript-eslint/require-await -- the chunks are there already
  async function* chunks() {
    for (const part of ["on", "e\ntw", "o two", " two\n\nthr", "ee"]) yield Buffer.from(part);
  }
  const lines = [];
  for await (const line of readLines(chunks(), 5)) lines.push(line);
  expect(lines).toEqual([
    { number: 1, text: "one" },
    { number: 2, tooLong: true },
    { number: 3, text: "" },
    { number: 4, text: "three" },
  ]);
});
