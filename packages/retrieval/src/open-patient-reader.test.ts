import { afterEach, describe, expect, it } from "vitest";
import { openPatientReader, type PatientReader } from "./open-patient-reader.ts";
import { dropSearchIndex } from "./open-search-index.ts";
import { makeDirectory, makePage, openTestIndex, TEST_DIMENSIONS } from "./testing.ts";

const FILTER = { teamIds: ["team"] };
const LIMIT = { limit: 10 };

let reader: PatientReader | undefined;
afterEach(() => reader?.index.close());

function openReader(url: string): PatientReader {
  reader = openPatientReader({ url, embedding: { model: "test", dimensions: TEST_DIMENSIONS }, refreshMs: 20 });
  return reader;
}

async function findUrls({ index }: PatientReader, text: string): Promise<readonly string[]> {
  return (await index.findByWords({ text }, FILTER, LIMIT)).map(({ url }) => url);
}

async function until(isTrue: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe("a patient reader", () => {
  it("answers that it is not there yet, and then from the index", async () => {
    const url = makeDirectory();
    const early = openReader(url);
    await expect(early.index.stats()).rejects.toMatchObject({
      code: "unavailable",
      retryable: true,
      retryAfterMs: 1_000,
    });
    const writer = await openTestIndex({ url });
    await writer.addPages([makePage({ url: "https://e.org/a", text: "apple" })]);
    await until(() => early.state().isOpen);
    await early.index.refresh();
    expect(await findUrls(early, "apple")).toEqual(["https://e.org/a"]);
    await expect(early.index.addPages([])).rejects.toMatchObject({ code: "conflict" });
  });

  it("goes over to an index that was built anew in the same place", async () => {
    const url = makeDirectory();
    const old = await openTestIndex({ url });
    await old.addPages([makePage({ url: "https://e.org/old", text: "apple" })]);
    const steady = openReader(url);
    await until(() => steady.state().isOpen);
    expect(await findUrls(steady, "apple")).toEqual(["https://e.org/old"]);
    await old.close();
    await dropSearchIndex({ url });
    const fresh = await openTestIndex({ url });
    await fresh.addPages([makePage({ url: "https://e.org/new", text: "apple" })]);
    await until(async () => steady.state().isOpen && (await findUrls(steady, "apple"))[0] === "https://e.org/new");
    expect(await findUrls(steady, "apple")).toEqual(["https://e.org/new"]);
  });
});
