import { snapshotSchema } from "@quarry/contract";
import { callApi, type ApiCall } from "./api-call.ts";

/** Of so many results at most the age is looked up. */
const MAX_LOOKUPS = 25;

/** When each of these copies was stored, as an age such as "3 days"; copies that are gone are left out. */
export async function readAges(
  api: ApiCall,
  snapshotIds: readonly (string | null | undefined)[],
  options: { readonly now: Date; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(snapshotIds)].filter((id) => typeof id === "string").slice(0, MAX_LOOKUPS);
  const found = await Promise.all(
    wanted.map(async (id): Promise<readonly (readonly [string, string])[]> => {
      const reply = await api({ method: "GET", path: `/quarry/v1/snapshots/${id}` }, options.signal);
      if (reply.status === 404 || reply.status === 410) return [];
      const snapshot = await callApi(
        () => Promise.resolve(reply),
        { method: "GET", path: "" },
        snapshotSchema,
        options.signal,
      );
      return [[id, describeAge(new Date(snapshot.createdAt), options.now)]];
    }),
  );
  return new Map(found.flat());
}

const UNITS = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** How long ago that was, in its largest unit. */
export function describeAge(then: Date, now: Date): string {
  const seconds = Math.max(0, (now.getTime() - then.getTime()) / 1_000);
  for (const [unit, size] of UNITS) {
    const count = Math.floor(seconds / size);
    if (count >= 1) return `${count} ${unit}${count === 1 ? "" : "s"}`;
  }
  return "under a minute";
}
