import { setPriority } from "node:os";
import { openSearchIndex, type IndexFilter } from "@quarry/retrieval";
import { makeGeneratedPage, makeGeneratedPlace, makeGeneratedVectors } from "./generated-pages.ts";
import {
  BATCH_ROWS,
  DIMENSIONS,
  missing,
  residentMb,
  startClock,
  VECTOR_QUERIES,
  type Figures,
} from "./index-measure.ts";

/** What the reader asks of the writer, and what it answers: seconds, and the megabytes it holds. */
export type WriterTask =
  | { readonly kind: "words" | "vectors"; readonly pages: number }
  | { readonly kind: "marker"; readonly number: number }
  | { readonly kind: "optimise" | "clean" | "stop" };
/** What it answers. */
export interface WriterReply {
  readonly wallS: number;
  readonly cpuS: number;
  readonly residentMb: number;
  readonly pageTables: number;
}

/** The model of both ends. */
export const EMBEDDING = { model: "bench", dimensions: DIMENSIONS };
/** Whose pages are searched. */
export const TEAM: IndexFilter = { teamIds: ["bench", "shared"] };
/** Of 19: searches come first. */
const WRITER_PRIORITY = 10;

/** Writes in a process of its own, behind everything else, as the product does. */
export async function runWriter(url: string): Promise<Figures> {
  setPriority(WRITER_PRIORITY);
  let laterMs = 0; // old files are cleaned away by the clock
  const index = await openSearchIndex({
    url,
    access: "write",
    embedding: EMBEDDING,
    clock: { now: () => new Date(Date.now() + laterMs) },
    onError: (error) => process.stderr.write(`${String(error)}\n`),
  });
  const work = async (task: WriterTask): Promise<void> => {
    if (task.kind === "words") {
      await inBatches(task.pages, (numbers) => index.addPages(numbers.map(makeGeneratedPage)));
    } else if (task.kind === "vectors") {
      const vectors = makeGeneratedVectors(task.pages + VECTOR_QUERIES, DIMENSIONS);
      await inBatches(task.pages, (numbers) =>
        index.addChunks(
          numbers.map((number) => {
            const chunks = [{ number: 0, start: 0, end: 1, vector: vectors[number] ?? missing() }];
            return { ...makeGeneratedPlace(number), chunks };
          }),
        ),
      );
      await index.optimize();
    } else if (task.kind === "marker") {
      const place = makeGeneratedPage(0);
      await index.addPages([
        { ...place, url: `https://marker.example/${task.number}`, title: markerWord(task.number) },
      ]);
    } else if (task.kind === "optimise") await index.optimize({ full: true });
    else if (task.kind === "clean") {
      laterMs += 300_000;
      await index.optimize();
    }
  };
  const stopped = new Promise<void>((resolve) => {
    process.on("message", (task: WriterTask) => {
      const cost = startClock();
      void work(task).then(async () => {
        const { pageTables } = await index.stats();
        process.send?.({ ...cost(), residentMb: residentMb(), pageTables } satisfies WriterReply);
        if (task.kind === "stop") resolve();
      });
    });
  });
  process.send?.("ready");
  await stopped;
  await index.close();
  process.disconnect();
  return {};
}

/** Two calls at a time: while one writes, the other analyses. */
async function inBatches(count: number, write: (numbers: readonly number[]) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const start = next;
      next += BATCH_ROWS;
      await write(Array.from({ length: Math.min(BATCH_ROWS, count - start) }, (_, offset) => start + offset));
    }
  };
  await Promise.all([lane(), lane()]);
}

/** A word no page has. */
export function markerWord(number: number): string {
  return `marker${"abcdefghij"[number % 10] ?? ""}x`;
}
