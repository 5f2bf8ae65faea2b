import { deleteDocuments, findDocument, listDocuments, readIndexOutbox, type Database } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { ingestPages, type IngestDeps, type IngestOptions } from "./ingest-pages.ts";
import type { PageToIngest } from "./page-to-ingest.ts";
import { fakeCrawlDeps } from "./testing.ts";

const site = "https://e.example";
/** Words of letters alone: numbers are all alike to a fingerprint. */
const words = Array.from({ length: 300 }, (_, index) =>
  String((index * 37) % 911).replace(/\d/g, (digit) => `x${"abcdefghij".charAt(Number(digit))}`),
);

function page(path: string, body: string, head = "<title>A title</title>"): PageToIngest {
  const html = `<html><head>${head}</head><body><article><p>${body}</p></article></body></html>`;
  return {
    teamId: "one",
    url: `${site}${path}`,
    source: "crawl",
    fetchedAt: new Date("2026-01-01T00:00:00Z"),
    content: { kind: "bytes", bytes: Buffer.from(html), contentType: "text/html; charset=utf-8" },
  };
}

/** Ingests and tells what stands for each page. */
async function canonicals(
  deps: IngestDeps,
  pages: readonly PageToIngest[],
  options?: IngestOptions,
): Promise<unknown[]> {
  const outcomes = await ingestPages(deps, pages, options);
  return outcomes.map((outcome) => (outcome.kind === "saved" ? outcome.canonicalUrl : outcome.kind));
}

async function urlsOf(database: Database): Promise<readonly string[]> {
  return (await listDocuments(database, "one", { limit: 100 })).data.map(({ url }) => url).sort();
}

verifies(
  ["crawl:duplicates:exact", "crawl:duplicates:near"],
  "equal and nearly equal pages point at the first, in one batch and over several",
  () =>
    withDatabase(async (database) => {
      const deps = fakeCrawlDeps(database, () => undefined);
      const text = words.join(" ");
      const near = [...words.slice(0, 299), "changed"].join(" ");
      const other = words.toReversed().join(" ");
      const batch = [page("/a", text), page("/b", text), page("/c", near), page("/d", other)];
      expect(await canonicals(deps, batch)).toEqual([null, `${site}/a`, `${site}/a`, null]);
      expect(await canonicals(deps, [page("/e", text), page("/a", text)])).toEqual([`${site}/a`, null]);
      const another = { ...page("/f", text), teamId: "two" };
      expect(await canonicals(deps, [another])).toEqual([null]);
    }),
);

verifies(
  "crawl:url:rel-canonical",
  "a page points at the one it declares, where that one is there and stands for itself",
  () =>
    withDatabase(async (database) => {
      const deps = fakeCrawlDeps(database, () => undefined);
      const declares = (path: string): string => `<title>${path}</title><link rel="canonical" href="${site}${path}">`;
      const batch = [
        page("/item?color=red", "red one of many words", declares("/item")),
        page("/item", "the item itself and its words", declares("/item")),
        page("/lost?page=x", "its canonical page is not here", declares("/absent")),
        page("/one/x", "each says the other is meant, says one", declares("/two/x")),
        page("/two/x", "each says the other is meant, says two", declares("/one/x")),
      ];
      expect(await canonicals(deps, batch)).toEqual([`${site}/item`, null, null, null, null]);
    }),
);

it("a page does not point to one that is another's duplicate, however often they come", () =>
  withDatabase(async (database) => {
    const deps = fakeCrawlDeps(database, () => undefined);
    const near = [...words.slice(0, 299), "changed"].join(" ");
    const declares = (path: string): string => `<title>A title</title><link rel="canonical" href="${site}${path}">`;
    await ingestPages(deps, [page("/c", words.join(" "))]);
    const batch = [page("/a", words.toReversed().join(" "), declares("/b")), page("/b", near)];
    for (let time = 0; time < 3; time += 1) {
      expect(await canonicals(deps, batch)).toEqual([null, `${site}/c`]);
      const stored = await findDocument(database, ["one"], `${site}/a`);
      expect(stored?.canonicalUrl).toBeNull();
    }
    const declaring = [page("/b", near), page("/c", words.join(" "), declares("/b"))];
    for (let time = 0; time < 2; time += 1) expect(await canonicals(deps, declaring)).toEqual([null, `${site}/b`]);
  }));

it("a page stays with the one it declares when that says something else, and stands for itself once that is gone", () =>
  withDatabase(async (database) => {
    const deps = fakeCrawlDeps(database, () => undefined);
    const text = words.join(" ");
    const declaring = page("/a?from=b", text, `<title>A title</title><link rel="canonical" href="${site}/a">`);
    await ingestPages(deps, [page("/a", text), declaring, page("/c", text)]);
    const places = async (): Promise<unknown[]> =>
      (await listDocuments(database, "one", { limit: 9 })).data
        .toSorted((one, other) => (one.url < other.url ? -1 : 1))
        .map(({ canonicalUrl }) => canonicalUrl);
    await ingestPages(deps, [page("/a", words.toReversed().join(" "))]);
    expect(await places()).toEqual([null, `${site}/a`, null]);
    await database.transaction((tx) => deleteDocuments(tx, "one", [`${site}/a`], new Date()));
    expect(await places()).toEqual([null, null]);
  }));

verifies(
  ["ingest:path:document-points-to-snapshot", "ingest:path:spine"],
  "a document points to its snapshot and text, and waits for the index",
  () =>
    withDatabase(async (database) => {
      const deps = fakeCrawlDeps(database, () => undefined);
      const [outcome] = await ingestPages(deps, [page("/a", words.join(" "))]);
      if (outcome?.kind !== "saved") throw new Error("expected a saved page");
      const document = await findDocument(database, ["one"], `${site}/a`);
      expect(document).toMatchObject({ title: "A title", snapshotId: outcome.snapshotId });
      expect(Buffer.from((await deps.snapshots.get(outcome.snapshotId)) ?? []).toString()).toContain(words[7] ?? "?");
      expect(await readIndexOutbox(database, 10)).toMatchObject([{ kind: "upsert", document: { url: `${site}/a` } }]);
    }),
);

it("leaves out what may not be kept and what cannot be read, and saves the others of the batch", () =>
  withDatabase(async (database) => {
    const deps = fakeCrawlDeps(database, () => undefined);
    const broken: PageToIngest = {
      ...page("/pdf", ""),
      content: { kind: "bytes", bytes: Buffer.from("%PDF-1.7 and no more"), contentType: "application/pdf" },
    };
    const mayKeep = (_page: PageToIngest, { robots }: { readonly robots: readonly string[] }): boolean =>
      robots.length === 0;
    const hidden = page("/hidden", "not for the index", '<meta name="robots" content="noindex">');
    const found = await canonicals(deps, [hidden, broken, page("/good", "a good page of words")], { mayKeep });
    expect(found).toEqual(["passed-over", "unreadable", null]);
    expect(await urlsOf(database)).toEqual([`${site}/good`]);
    expect(deps.blobs.size).toBe(1);
  }));

it("ingests the same pages from two callers at once, each once", () =>
  withDatabase(async (database) => {
    const deps = fakeCrawlDeps(database, () => undefined);
    const pages = Array.from({ length: 20 }, (_, index) =>
      page(`/${index}`, `${words.slice(index).join(" ")} ${index}`),
    );
    await Promise.all([ingestPages(deps, pages), ingestPages(deps, pages.toReversed())]);
    expect((await urlsOf(database)).length).toBe(20);
    const [row] = await database.query<{ count: number }>("SELECT count(*)::integer AS count FROM document_history");
    expect(row?.count).toBeGreaterThanOrEqual(20);
  }));

it("writes nothing when what goes alongside fails, and nothing after an abort", () =>
  withDatabase(async (database) => {
    const deps = fakeCrawlDeps(database, () => undefined);
    const alongside = (): Promise<void> => Promise.reject(new Error("no room"));
    await expect(ingestPages(deps, [page("/a", "text")], { alongside })).rejects.toThrow("no room");
    await expect(
      ingestPages(deps, [page("/a", "text")], { signal: AbortSignal.abort(new Error("over")) }),
    ).rejects.toThrow("over");
    expect(await urlsOf(database)).toEqual([]);
  }));

verifies("crawl:url:hreflang", "a page's other languages are kept with its document", () =>
  withDatabase(async (database) => {
    const head = ["de", "x-default"].map(
      (language) => `<link rel="alternate" hreflang="${language}" href="/${language}/a">`,
    );
    await ingestPages(
      fakeCrawlDeps(database, () => undefined),
      [page("/a", words.join(" "), head.join(""))],
    );
    const kept = await findDocument(database, ["one"], `${site}/a`);
    expect(kept?.details.alternates).toEqual({ de: `${site}/de/a`, "x-default": `${site}/x-default/a` });
  }),
);
