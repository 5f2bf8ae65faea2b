import type { ContentsOptions } from "@quarry/contract";

/** The names of content options, as they stand under `contents` and, for old clients, beside it. */
const NAMES = [
  "text",
  "highlights",
  "summary",
  "extras",
  "context",
  "livecrawl",
  "livecrawlTimeout",
  "maxAgeHours",
  "snapshotAsOf",
  "filterEmptyResults",
  "subpages",
  "subpageTarget",
] as const satisfies readonly (keyof ContentsOptions)[];

/** Content options from both places, those under `contents` first; undefined when neither has any. */
export function contentsOptionsOf(
  body: ContentsOptions & { readonly contents?: ContentsOptions | undefined },
): ContentsOptions | undefined {
  const merged: Record<string, unknown> = {};
  for (const name of NAMES) {
    const value = body.contents?.[name] ?? body[name];
    if (value !== undefined) merged[name] = value;
  }
  return body.contents === undefined && Object.keys(merged).length === 0 ? undefined : merged;
}
