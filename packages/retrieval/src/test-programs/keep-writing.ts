// Writes pages, vectors, updates and removals as fast as it can, and prints each once it is acknowledged.
import { makePage, makeVector } from "../testing-pages.ts";
import { openSearchIndex } from "../open-search-index.ts";

const [url = "", firstVersion = "1", seed = "1"] = process.argv.slice(2);
const PAGES = 400;
const PAGES_A_BATCH = 20;

const index = await openSearchIndex({
  url,
  access: "write",
  embedding: { model: "test", dimensions: 8 },
  sealTokens: 2_000, // so that tables are sealed and merged all the time
  onError: (error) => {
    process.stderr.write(`${String(error)}\n`);
  },
});

let version = Number(firstVersion);
let state = Number(seed);
const random = (limit: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
};

process.stdout.write("ready\n");
for (;;) {
  const pages = Array.from({ length: PAGES_A_BATCH }, () => {
    version += 1;
    return makePage({ url: `https://example.com/${random(PAGES)}`, version, text: `apple ${"filler ".repeat(8)}` });
  });
  const isRemoval = random(5) === 0;
  acknowledge(isRemoval ? "removed" : "added", await (isRemoval ? index.remove(pages) : index.addPages(pages)));
  if (isRemoval) continue;
  const chunks = [{ number: 0, start: 0, end: 1, vector: makeVector(random(8)) }];
  const newest = pages.filter(
    ({ url: one }, place) => pages.findLastIndex(({ url: other }) => one === other) === place,
  );
  acknowledge("embedded", await index.addChunks(newest.map((page) => ({ ...page, chunks }))));
}

function acknowledge(
  kind: string,
  outcomes: readonly { readonly url: string; readonly version: number; readonly status: string }[],
): void {
  const done = outcomes.filter(({ status }) => status === "written").map(({ url: one, version: its }) => [one, its]);
  process.stdout.write(`${JSON.stringify({ kind, done })}\n`);
}
