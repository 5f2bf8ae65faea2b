import type { SearchIndex } from "@quarry/retrieval";
import type { FusedPage } from "../rank/fuse-candidates.ts";
import { TokenMemory, type ReadPage } from "../rank/token-memory.ts";
import { keyOf } from "./candidate.ts";
import type { FindPagesDeps } from "./page-query.ts";
import type { PartSize } from "./read-parts.ts";

const memories = new WeakMap<SearchIndex, TokenMemory>();

/** What was read of the pages of an index; once it is full, a new memory begins. */
export function memoryOf(index: SearchIndex): TokenMemory {
  const known = memories.get(index);
  if (known !== undefined && !known.isFull) return known;
  const memory = new TokenMemory();
  memories.set(index, memory);
  return memory;
}

/**
 * Reads the beginning and the best chunk of pages, by key. A page in the version that the index found is read and
 * analysed once; pages that are gone are left out.
 */
export async function readPages(
  deps: Pick<FindPagesDeps, "readParts">,
  memory: TokenMemory,
  wanted: { readonly pages: readonly FusedPage[]; readonly size: PartSize },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReadPage>> {
  const read = new Map<string, ReadPage>();
  const unread = new Map<string, { readonly page: FusedPage; readonly name: string; readonly start: number }>();
  for (const page of wanted.pages) {
    const { facts, meaning } = page.candidate;
    const key = keyOf(facts);
    const start = meaning?.chunk.start ?? 0;
    const name = `${key}\n${facts.version}\n${start}\n${wanted.size.maxCharacters}`;
    const known = memory.recall(name);
    if (known === undefined) unread.set(key, { page, name, start });
    else read.set(key, known);
  }
  if (unread.size === 0) return read;
  const wishes = Array.from(unread.values(), ({ page: { candidate }, start }) => {
    const { teamId, url } = candidate.facts;
    return { teamId, url, start };
  });
  for (const part of await deps.readParts(wishes, wanted.size, signal)) {
    const key = keyOf(part);
    const wish = unread.get(key);
    if (wish === undefined) continue;
    const { title, language } = wish.page.candidate.facts;
    const { text, contentId } = part;
    const page = { tokens: memory.read({ title, text, language }), contentId, isEmpty: text.trim() === "" };
    memory.remember(wish.name, page);
    read.set(key, page);
  }
  return read;
}
