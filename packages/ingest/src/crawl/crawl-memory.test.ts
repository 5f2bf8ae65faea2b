import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { sleep } from "@quarry/base";
import { createRobotsCache, type HttpGet } from "@quarry/crawl";
import { findCrawl } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { createSnapshotStore } from "../snapshot-store.ts";
import { crawlToEnd, fakeCrawlDeps, memoryBlobStore, pageWith } from "../testing.ts";

const CRAWL = "crawl_1";
/** A tenth of the promise's 20,000: what a page leaves behind shows in the slope, however many there are. */
const PAGES = 2_000;
/** By the first all is filled that is filled once: compiled code, statements, pools, pages ahead. */
const MARKS = [600, 950, 1_300, 1_650, PAGES];
/** So long that a crawl which kept no more of a page than its URL would be found out. */
const URL_LENGTH = 1_500;
const MOST_BYTES_A_PAGE = 1_000;
const COLLECTIONS = 3;

verifies(
  "crawl:rate:memory-flat",
  "a crawl holds no more after thousands of pages than after hundreds, through fetch, extract and snapshot",
  () =>
    withDatabase(async (database) => {
      const collectGarbage = makeCollector();
      const held: { readonly pages: number; readonly bytes: number }[] = [];
      const get = webOf(PAGES, MARKS, async (countAnswered) => {
        while ((await findCrawl(database, CRAWL))?.pagesDone !== countAnswered()) await sleep(5);
        for (let time = 0; time < COLLECTIONS; time += 1) {
          collectGarbage();
          await setImmediate(); // what is freed behind the scenes is freed by the next
        }
        const { heapUsed, arrayBuffers } = process.memoryUsage();
        held.push({ pages: countAnswered(), bytes: heapUsed + arrayBuffers });
      });
      const deps = {
        ...fakeCrawlDeps(database, () => undefined),
        get,
        robots: createRobotsCache({ get, now: () => new Date() }, "QuarryBot"),
        // what a disk would hold is no memory of the crawl
        snapshots: createSnapshotStore({ ...memoryBlobStore(), put: () => Promise.resolve() }),
      };
      const request = { urls: [urlOf(0)], maxPages: PAGES * 2, maxDepth: 100 };
      const { crawl } = await crawlToEnd(deps, request, { id: CRAWL });
      expect([crawl.pagesDone, held.length]).toEqual([PAGES, MARKS.length]);
      expect(slopeOf(held), JSON.stringify(held)).toBeLessThan(MOST_BYTES_A_PAGE);
    }),
  120_000,
);

/** Bytes a page: the median of the slopes between all pairs of marks, which one mark that is off does not move. */
function slopeOf(marks: readonly { readonly pages: number; readonly bytes: number }[]): number {
  const slopes = marks.flatMap((one, index) =>
    marks.slice(index + 1).map((other) => (other.bytes - one.bytes) / (other.pages - one.pages)),
  );
  return slopes.sort((one, other) => one - other)[Math.floor(slopes.length / 2)] ?? Number.NaN;
}

const urlOf = (number: number): string => `https://e.example/${"long-".repeat(URL_LENGTH / 5)}/${number}`;

/**
 * A web of pages, each with its own words and links to two others. When as many as a mark says were asked for, it answers
 * nobody until `onMark` is done, which learns how many have their answer: then the crawl has nothing else in hand.
 */
function webOf(
  count: number,
  marks: readonly number[],
  onMark: (countAnswered: () => number) => Promise<void>,
): HttpGet {
  let [asked, answered] = [0, 0];
  let rest: Promise<void> = Promise.resolve();
  return async ({ url, maxBytes }, signal) => {
    const number = /\d+$/.exec(url)?.[0];
    if (number === undefined)
      return { kind: "reply", url, status: 404, headers: {}, body: Buffer.alloc(0), truncated: false };
    asked += 1;
    if (marks.includes(asked)) rest = onMark(() => answered);
    await rest;
    signal.throwIfAborted();
    answered += 1;
    const links = [Number(number) * 2 + 1, Number(number) * 2 + 2].filter((next) => next < count);
    const words = Array.from({ length: 20 }, (_word, at) => spell(Number(number) * 31 + at * 7_919)).join(" ");
    const body = Buffer.from(pageWith(words, ...links.map(urlOf)).body ?? "");
    const headers = { "content-type": "text/html; charset=utf-8" };
    return { kind: "reply", url, status: 200, headers, body: body.subarray(0, maxBytes), truncated: false };
  };
}

/** A word of letters: pages that differ in numbers alone are duplicates. */
function spell(number: number): string {
  return Array.from(number.toString(26), (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join("");
}

/** A way to clean the heap now: Node gives its collector only to those who ask at start, or by this way round. */
function makeCollector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}
