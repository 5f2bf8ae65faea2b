import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createRobotsCache } from "@quarry/crawl";
import { generatedPages, loopbackGet, withMiniWeb } from "@quarry/crawl/testing";
import { withDatabase } from "@quarry/store/testing";
import { expect, it } from "vitest";
import { createSnapshotStore } from "../snapshot-store.ts";
import { crawlToEnd, fakeCrawlDeps, memoryBlobStore } from "../testing.ts";

/** The first ones fill what is filled once: compiled code, statements, pools. */
const CRAWLS = 4;
const PAGES = 200;
/** After the first crawls. What is read of a page takes some 5,000. */
const MOST_BYTES_A_PAGE = 2_000;

it(
  "a crawl leaves hardly a byte of its pages, from loopback through fetch, snapshot and extract",
  () =>
    withDatabase(async (database) => {
      const collectGarbage = makeCollector();
      const blobs = memoryBlobStore();
      const kept: number[] = [];
      for (let round = 0; round < CRAWLS; round += 1) {
        await withMiniWeb(generatedPages(PAGES), {}, async (web) => {
          const get = loopbackGet;
          const deps = {
            ...fakeCrawlDeps(database, () => undefined),
            get,
            robots: createRobotsCache({ get, now: () => new Date() }, "QuarryBot"),
            // what a disk would hold is no memory of the crawl
            snapshots: createSnapshotStore({ ...blobs, put: () => Promise.resolve() }),
          };
          const request = { urls: [`${web.origin}/`], maxPages: 1_000, maxDepth: 100 };
          const { crawl } = await crawlToEnd(deps, request, { id: `crawl_${round}` });
          expect(crawl.pagesDone).toBe(PAGES);
        });
        collectGarbage();
        kept.push(process.memoryUsage().heapUsed);
      }
      const [before = 0, after = 0] = kept.slice(-2);
      expect((after - before) / PAGES, JSON.stringify(kept)).toBeLessThan(MOST_BYTES_A_PAGE);
    }),
  120_000,
);

/** A way to clean the heap now: Node gives its collector only to those who ask at start, or by this way round. */
function makeCollector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}
