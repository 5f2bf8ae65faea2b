import { leaveBeside } from "./leave-beside.ts";
import type { Quote } from "./quote.ts";

/** A page's place in a prompt, and the quotes shown of it. */
export interface FencedSource {
  /** 1, 2, 3 …, as the model cites it. */
  readonly number: number;
  readonly url: string;
  readonly quotes: readonly Quote[];
}

/** The sources of a prompt, and how they stand in it. */
export interface FencedSources {
  readonly sources: readonly FencedSource[];
  readonly text: string;
}

/**
 * Puts quotes of pages into a prompt: each page between marks of its own, named untrusted, and nothing of a page can end its fence
 * early or look like another's. What is beside the point is left out. Pages are numbered in the order in which they first come.
 */
export function fenceSources(quotes: readonly Quote[], maxCharacters: number): FencedSources {
  const byUrl = new Map<string, Quote[]>();
  let room = maxCharacters;
  for (const one of leaveBeside(quotes)) {
    if (one.text.length > room) continue;
    room -= one.text.length;
    const known = byUrl.get(one.url);
    if (known === undefined) byUrl.set(one.url, [one]);
    else known.push(one);
  }
  const sources = Array.from(byUrl, ([url, quotes], index) => ({
    number: index + 1,
    url,
    quotes: quotes.sort((first, second) => first.start - second.start),
  }));
  return { sources, text: sources.map(toFence).join("\n") };
}

function toFence({ number, url, quotes }: FencedSource): string {
  const title = quotes[0]?.title ?? "";
  const lines = quotes.map(({ text }) => `- ${disarm(text)}`);
  return [
    `<source number="${number}" url="${disarm(url)}" title="${disarm(title)}" trust="none">`,
    ...lines,
    "</source>",
  ].join("\n");
}

/** What stands for markup in a prompt is shown as what it is: text. */
function disarm(text: string): string {
  return text.replaceAll("<", "‹").replaceAll(">", "›").replaceAll('"', "”").replace(/\s+/g, " ");
}
