import { z } from "zod";
import { callApi } from "../api-call.ts";
import { isEnough, type ReplyItem } from "../budget/fit-reply.ts";
import type { JsonObject } from "../budget/shorten-card.ts";
import type { ToolContext } from "../tool.ts";

/** A list of the API, page by page. */
interface ListRequest<T> {
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly limit: number;
  readonly item: z.ZodType<T>;
  /** An item as a card; undefined leaves it out and counts it. */
  readonly show: (item: T) => JsonObject | undefined;
}

/** What was read of a list. */
interface ListPart<T> {
  readonly items: readonly ReplyItem[];
  readonly raw: readonly T[];
  readonly leftOut: number;
  readonly morePlace: string | undefined;
}

/** So many pages of the API at most for one page of a reply. */
const MAX_API_PAGES = 20;
/** Separates the API's cursor from the place within its page. */
const MARK = "~";

/** Reads a list from where the reply's cursor says, until there is enough for the reply. */
export async function listPages<T>(context: ToolContext, request: ListRequest<T>): Promise<ListPart<T>> {
  const pageSchema = z.object({
    data: z.array(request.item),
    hasMore: z.boolean().optional(),
    nextCursor: z.string().nullish(),
  });
  const [skipText = "0", startAt = ""] = (context.cursor?.place ?? "").split(MARK);
  let at = startAt;
  let skip = Number(skipText) || 0;
  const items: ReplyItem[] = [];
  const raw: T[] = [];
  let leftOut = 0;
  for (let page = 0; page < MAX_API_PAGES; page += 1) {
    const query = { ...request.query, limit: request.limit, cursor: at === "" ? undefined : at };
    const reply = await callApi(context.api, { method: "GET", path: request.path, query }, pageSchema, context.signal);
    for (const [index, item] of reply.data.entries()) {
      if (index < skip) continue;
      raw.push(item);
      const card = request.show(item);
      if (card === undefined) leftOut += 1;
      else items.push({ card, place: `${index}${MARK}${at}` });
    }
    const next = reply.nextCursor ?? "";
    if (next === "" || reply.hasMore === false) return { items, raw, leftOut, morePlace: undefined };
    at = next;
    skip = 0;
    if (isEnough(items, context.maxTokens)) break;
  }
  return { items, raw, leftOut, morePlace: `0${MARK}${at}` };
}
