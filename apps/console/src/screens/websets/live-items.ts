import { useQueryClient, type InfiniteData } from "@tanstack/react-query";
import { useEffect } from "react";
import { followEvents } from "../../api/follow-events.ts";
import { isRecord } from "../../api/send.ts";
import type { Page } from "../../api/shapes.ts";
import type { WebsetItem } from "./webset-shapes.ts";

/** Items that changed are put into the grid together, this often: hundreds a second make a few drawings. */
const GATHER_MS = 250;
const STREAM = "/quarry/v1/events/stream?types=webset.item.created,webset.item.enriched";

/** The items of a webset that were read, page by page. */
export type ItemPages = InfiniteData<Page<WebsetItem>, string | null>;

/** Puts items into the grid as the server tells of them. A key that may not read events sees them when they are read again. */
export function useLiveItems(websetId: string): void {
  const queries = useQueryClient();
  useEffect(() => {
    const stop = new AbortController();
    let changed = new Map<string, WebsetItem>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = (): void => {
      const items = changed;
      changed = new Map();
      timer = undefined;
      queries.setQueryData<ItemPages>(["webset-items", websetId], (old) =>
        old === undefined ? old : patchPages(old, items),
      );
    };
    followEvents(STREAM, {
      signal: stop.signal,
      isOver: () => false,
      onConnection: (isUp) => {
        if (!isUp) void queries.invalidateQueries({ queryKey: ["me"] }); // it may be gone: the shell says so
      },
      onEvent: ({ data }) => {
        const item = readItem(JSON.parse(data), websetId);
        if (item === undefined) return;
        changed.set(item.id, item);
        timer ??= setTimeout(flush, GATHER_MS);
      },
    }).catch(() => undefined); // refused: the items are read again and again anyway
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [queries, websetId]);
}

/** The pages with some items as they are now; pages without any of them stay the same. New items come at the end. */
export function patchPages(old: ItemPages, items: ReadonlyMap<string, WebsetItem>): ItemPages {
  const left = new Map(items);
  const pages = old.pages.map((page) => {
    const places = placesOf(page.data);
    const here = [...items].filter(([id]) => places.has(id));
    if (here.length === 0) return page;
    const data = [...page.data];
    for (const [id, item] of here) {
      left.delete(id);
      data[places.get(id) ?? data.length] = item;
    }
    PLACES.set(data, places); // the same items in the same places
    return { ...page, data };
  });
  const last = pages.at(-1);
  if (left.size === 0 || last === undefined || last.hasMore) return { ...old, pages };
  return { ...old, pages: [...pages.slice(0, -1), { ...last, data: [...last.data, ...left.values()] }] };
}

/** Where each item stands in a page: reading tens of thousands of them again for every few that changed takes too long. */
const PLACES = new WeakMap<readonly WebsetItem[], ReadonlyMap<string, number>>();

function placesOf(data: readonly WebsetItem[]): ReadonlyMap<string, number> {
  const known = PLACES.get(data);
  if (known !== undefined) return known;
  const places = new Map(data.map(({ id }, place) => [id, place]));
  PLACES.set(data, places);
  return places;
}

function readItem(event: unknown, websetId: string): WebsetItem | undefined {
  if (!isRecord(event) || !isRecord(event["resource"]) || event["resource"]["id"] !== websetId) return undefined;
  // The server writes whole items, as its own routes show them, into these events.
  return event["data"] as WebsetItem;
}
