import { indexStatsSchema } from "@quarry/contract";
import { callApi } from "./api-client.ts";
import type { ApiTarget } from "./api-client.ts";
import type { CliContext } from "./cli-context.ts";
import type { CommandIo } from "./command-io.ts";

const TIMEOUT_MS = 5_000;

/** After pages were added: says how many of the team's are not yet found by meaning, where the server tells. For people only. */
export async function tellBacklog(context: CliContext, io: CommandIo, target: ApiTarget): Promise<void> {
  if (io.options.json === true || io.options.quiet === true) return;
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const request = { method: "GET", path: "/quarry/v1/index" } as const;
  // The pages are in: a figure that this key may not read, or that comes too late, is no failure of the command.
  const stats = await callApi(target, request, indexStatsSchema, signal).catch(() => undefined);
  const waiting = (stats?.outbox ?? 0) + (stats?.vectorOutbox ?? 0);
  if (waiting === 0) return;
  const pages = waiting === 1 ? "1 page still waits for its vectors" : `${waiting} pages still wait for their vectors`;
  io.say(`${pages}: words find them now, searches by meaning later (see quarry index stats).`);
}
