import { sleep } from "@quarry/base";
import { itemAnswersSchema, pageOf, websetSchema, type ItemAnswers, type WebsetWire } from "@quarry/contract";
import { callApi, type ApiTarget } from "./api-client.ts";
import type { CliContext } from "./cli-context.ts";
import type { CommandIo } from "./command-io.ts";
import { listAll } from "./list-all.ts";
import { describeProgress, renderGrid } from "./render-grid.ts";

/** How often a webset is looked at while it runs. */
const LOOK_EVERY_MS = 500;
/** Lines of the grid that a terminal shows while it fills. */
const SHOWN_ITEMS = 20;
const PAGE_SIZE = 100;

/** A webset and its items with their answers. */
export interface WatchedWebset {
  readonly webset: WebsetWire;
  readonly items: readonly ItemAnswers[];
}

/** Reads a webset with the answers of all its items. */
export async function readWatched(target: ApiTarget, id: string, signal: AbortSignal): Promise<WatchedWebset> {
  const place = encodeURIComponent(id);
  const webset = await callApi(target, { method: "GET", path: `/websets/v0/websets/${place}` }, websetSchema, signal);
  const question = {
    path: `/quarry/v1/websets/${place}/items`,
    pageSize: PAGE_SIZE,
    query: { projection: "answers" },
  };
  return { webset, items: await listAll(target, question, pageOf(itemAnswersSchema), signal) };
}

/** Shows a webset's grid on stderr as it fills, in place on a terminal, until nothing of it is open. */
export async function watchWebset(
  context: CliContext,
  io: CommandIo,
  target: ApiTarget,
  id: string,
): Promise<WatchedWebset> {
  let drawnLines = 0;
  let shown = "";
  for (;;) {
    const watched = await readWatched(target, id, context.signal);
    const { webset, items } = watched;
    const grid = items.length === 0 ? "" : `${renderGrid(context.stderr, webset, items.slice(-SHOWN_ITEMS))}\n`;
    const frame = `${describeProgress(webset)}\n${grid}`;
    if (context.stderr.isTerminal && io.options.quiet !== true) {
      if (drawnLines > 0) context.stderr.stream.write(`\u001B[${drawnLines}A\u001B[J`);
      context.stderr.stream.write(frame);
      drawnLines = frame.split("\n").length - 1;
    } else if (describeProgress(webset) !== shown) {
      shown = describeProgress(webset);
      io.say(shown);
    }
    if (webset.status === "idle" || webset.status === "paused") return watched;
    await sleep(LOOK_EVERY_MS, context.signal);
  }
}
