import type { ContentPage } from "@quarry/search";
import type { AnswerDeps } from "../answer/answer.ts";
import { leaveBeside } from "../evidence/leave-beside.ts";
import { findQuotes, type Quote } from "../evidence/quote.ts";

/** Passages for a question as one piece of Markdown. */
export interface ComposedContext {
  readonly markdown: string;
  readonly pages: number;
  /** By a count that is never below what known tokenisers make of it in prose and code. */
  readonly tokens: number;
}

const MAX_PAGES = 10;
/** Code has short tokens: three characters each are an upper bound in practice. */
const CHARACTERS_PER_TOKEN = 3;
/** Sentences around the best one that come along: code stands below the sentence that speaks of it. */
const CONTEXT_CHARACTERS = 600;

/** Collects what pages say about a question, best page first, until the tokens are used up. */
export async function composeContext(
  deps: Pick<AnswerDeps, "findPages" | "analyser" | "statistics">,
  wish: { readonly teamIds: readonly string[]; readonly query: string; readonly maxTokens: number },
  signal: AbortSignal,
): Promise<ComposedContext> {
  const pages = await deps.findPages({ teamIds: wish.teamIds, query: wish.query, limit: MAX_PAGES }, signal);
  let room = wish.maxTokens * CHARACTERS_PER_TOKEN;
  const parts: string[] = [];
  for (const page of pages) {
    const head = `## ${page.title ?? page.url}\n${page.url}\n\n`;
    const quotes = leaveBeside(findQuotes(deps, [page], wish.query));
    const body = passagesOf(page, quotes, room - head.length - 2);
    if (body === "") continue;
    parts.push(head + body);
    room -= head.length + body.length + 2;
  }
  const markdown = parts.join("\n\n");
  return { markdown, pages: parts.length, tokens: Math.ceil(markdown.length / CHARACTERS_PER_TOKEN) };
}

/** The stretches of a page around its best quotes, in the order of the page, as far as there is room. */
function passagesOf(page: ContentPage, quotes: readonly Quote[], room: number): string {
  const stretches: { start: number; end: number }[] = [];
  let left = room;
  for (const { start, end } of quotes) {
    const wanted = { start, end: Math.min(page.text.length, end + CONTEXT_CHARACTERS) };
    if (stretches.some((other) => wanted.start < other.end && other.start < wanted.end)) continue;
    const length = Math.min(wanted.end - wanted.start, left);
    if (length < end - start) continue;
    stretches.push({ start: wanted.start, end: wanted.start + length });
    left -= length + SEPARATOR.length;
  }
  return stretches
    .sort((one, other) => one.start - other.start)
    .map(({ start, end }) => page.text.slice(start, end).trim())
    .join(SEPARATOR);
}

const SEPARATOR = "\n\n…\n\n";
