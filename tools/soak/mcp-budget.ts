import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { loadTokenCounter } from "../../packages/doors/src/mcp/budget/count-tokens.ts";
import {
  fitReply,
  isEnough,
  toResult,
  type ReplyDraft,
  type ReplyItem,
} from "../../packages/doors/src/mcp/budget/fit-reply.ts";
import { readCursor } from "../../packages/doors/src/mcp/budget/read-cursor.ts";
import { createFence, type Fence } from "../../packages/doors/src/mcp/fence-text.ts";
import { makeRandom, type Random } from "./random.ts";
import type { Soak } from "./soak.ts";

const FULL_CALLS = 100_000;
const LEAST_TOKENS = 1_000;
const MOST_TOKENS = 25_000;
const LEAST_USE = 0.8;
/** The reply's own count may be that much over the tokenizer's, for runs without spaces that are counted in parts. */
const MOST_OVERCOUNT = 0.05;
/** One reply in so many is counted by the tokenizer itself in a part of the proof; every one in the whole. */
const ASK_EVERY = 4;
/** One draft in so many is read page by page to its end. */
const JOIN_EVERY = 100;
const MAX_PAGES = 400;
const NONCE_SEED = 7;

const WORDS = (
  "the quarry of stone lies below an old river and its water carries granite sand slate to every town where people build " +
  'bridges, walls “arches” "towers" C:\\path\\n <b>tags</b> 12,345.67 € naïve café Straße 東京 猫頭鷹 сова بومة 🦉 👩‍🚀 https://example.com/a?b=c&d'
).split(" ");

/** Replies of tools of every size: none over its budget, none that leaves much of it unused, all of them joining to the whole. */
export const mcpBudgetSoak: Soak = {
  name: "mcp-budget",
  run: async ({ random, size, report }) => {
    const count = await loadTokenCounter();
    const calls = Math.ceil(FULL_CALLS * size);
    const makeFence = fences();
    const violations: string[] = [];
    let truncated = 0;
    let joined = 0;
    let leastUse = 1;
    for (let call = 0; call < calls; call += 1) {
      const maxTokens = randomBudget(random);
      const draft = randomDraft(random, maxTokens, makeFence);
      const fence = makeFence();
      const { structured, tokens } = fitReply(draft, { maxTokens, count, fence: fence.around });
      const reply = JSON.stringify(toResult(structured));
      // The counter of the product is held to the tokenizer's own by tests of its own; a part of the proof asks it now and then.
      const isAsked = size === 1 || call % ASK_EVERY === 0;
      const whole = isAsked ? countTokens(reply, { disallowedSpecial: new Set() }) : count(reply);
      const name = `call ${call} (${maxTokens} tokens, ${draft.items.length} items)`;
      if (tokens < whole || tokens > whole * (1 + MOST_OVERCOUNT))
        violations.push(`${name}: says ${tokens} tokens and has ${whole}`);
      if (whole > maxTokens) violations.push(`${name}: ${whole} tokens are over the budget`);
      if (structured["truncated"] === true) {
        truncated += 1;
        leastUse = Math.min(leastUse, whole / maxTokens);
        if (whole < LEAST_USE * maxTokens)
          violations.push(`${name}: only ${whole} tokens are used, though more exists`);
      }
      if (call % JOIN_EVERY === 0) {
        joined += 1;
        const problem = joinPages(draft, maxTokens, count);
        if (problem !== undefined) violations.push(`${name}: ${problem}`);
      }
      if (call % 10_000 === 9_999) report(`${call + 1} calls, ${violations.length} violations`);
    }
    return { figures: { calls, truncated, joined, leastUsePercent: Math.floor(leastUse * 100) }, violations };
  },
};

/** Marks as the product draws them, but the same in every run: some take a token or two more than others. */
function fences(): () => Fence {
  const random = makeRandom(NONCE_SEED);
  return () => createFence(Array.from({ length: 12 }, () => random.integer(0, 15).toString(16)).join(""));
}

/** Small budgets are more frequent: there the bounds hurt most. */
function randomBudget(random: Random): number {
  return Math.round(LEAST_TOKENS * (MOST_TOKENS / LEAST_TOKENS) ** (random.next() ** 8));
}

function randomDraft(random: Random, maxTokens: number, makeFence: () => Fence): ReplyDraft {
  const withText = random.chance(0.6);
  const wanted = Math.min(60, 1 + Math.floor(random.next() * (maxTokens / 60)));
  const items = Array.from({ length: wanted }, (_, index): ReplyItem => {
    const card = {
      id: `witem_${index}`,
      url: `https://site${random.integer(1, 999)}.example/${"p/".repeat(random.integer(0, 4))}${index}`,
      name: words(random, random.integer(1, 8)),
      ...(random.chance(0.7) && { description: words(random, random.integer(0, 25)) }),
      ...(random.chance(0.5) && { met: [0, 2].slice(0, random.integer(0, 2)) }),
      ...(random.chance(0.2) && {
        results: { [`${random.pick(WORDS)} ${random.pick(WORDS)}`]: [words(random, random.integer(1, 12))] },
      }),
    };
    const isLong = random.chance(0.2);
    return withText
      ? { card, text: prose(random, random.integer(0, isLong ? maxTokens : 120)), place: String(index) }
      : { card, place: String(index) };
  });
  return {
    head: { query: words(random, random.integer(1, 10)), notice: makeFence().note },
    listKey: random.pick(["results", "items", "webset"]),
    items,
    nextStep: "Read one with fetch.",
    ...(isEnough(items, maxTokens) && random.chance(0.3) && { morePlace: "more", moreCount: random.integer(1, 500) }),
  };
}

/** So many words in a row are there to take from: to draw each anew would take longer than to count it. */
const STOCK_WORDS = 5_000;

interface Stock {
  readonly text: string;
  /** Where each word begins, and where the last ends. */
  readonly starts: readonly number[];
}

function makeStock(random: Random): Stock {
  const starts = [0];
  let text = "";
  for (let count = 0; count < STOCK_WORDS; count += 1) {
    text += `${random.chance(0.001) ? "猫頭鷹は夜に飛ぶ".repeat(30) : random.pick(WORDS)} `;
    starts.push(text.length);
  }
  return { text, starts };
}

function words(random: Random, count: number): string {
  const { text, starts } = (stocks.get(random) ?? stocks.set(random, makeStock(random)).get(random)) as Stock;
  const first = random.integer(0, STOCK_WORDS - count);
  return text.slice(starts[first], starts[first + count]).trimEnd();
}

const stocks = new WeakMap<Random, Stock>();

function prose(random: Random, count: number): string {
  let text = "";
  for (let left = count; left > 0;) {
    const length = Math.min(left, random.chance(0.03) ? 200 : random.integer(3, 25));
    text += `${words(random, length)}${random.pick([". ", ". ", "? ", ".\n\n", " "])}`;
    left -= length;
  }
  return text;
}

/** Reads every page of a reply and compares what they join to. Undefined when it is the whole. */
function joinPages(draft: ReplyDraft, maxTokens: number, count: (text: string) => number): string | undefined {
  const got = new Map<string, { readonly card: string; text: string }>();
  const { head, listKey, nextStep } = draft;
  let from = { place: "0", offset: 0 };
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const items = draft.items.slice(Number(from.place));
    const nonce = "n0nce";
    const { structured } = fitReply(
      { head, listKey, nextStep, items, textFrom: from.offset },
      { maxTokens, count, fence: createFence(nonce).around },
    );
    const shown = structured[draft.listKey] as readonly Readonly<Record<string, unknown>>[];
    for (const { text, shortened, ...rest } of shown) {
      const card = Object.fromEntries(Object.entries(rest).filter(([key]) => key !== "textRange"));
      const id = JSON.stringify(card["id"]);
      if (shortened === true) continue;
      const piece = typeof text === "string" ? text.replace(`<page ${nonce}>`, "").replace(`</page ${nonce}>`, "") : "";
      const before = got.get(id);
      got.set(id, { card: JSON.stringify(card), text: (before?.text ?? "") + piece });
    }
    const next = structured["next"] as { readonly cursor: string } | undefined;
    if (next === undefined) {
      const missing = draft.items.filter(({ card, text = "" }) => {
        const one = got.get(JSON.stringify(card["id"]));
        return one?.card !== JSON.stringify(card) || one.text !== text;
      });
      // What is larger than a page of its own is shown shortened, and is read whole by its id.
      const lost = missing.filter(({ card }) => count(JSON.stringify(card)) * 2.5 < maxTokens * 0.35);
      return lost.length === 0
        ? undefined
        : `pages lose ${lost.map(({ card }) => JSON.stringify(card["id"])).join(", ")}`;
    }
    const cursor = readCursor(next.cursor);
    if (cursor === undefined) return "a page has no readable cursor";
    if (cursor.place === from.place && cursor.offset === from.offset) return `page ${page} does not move on`;
    from = cursor;
  }
  return `more than ${MAX_PAGES} pages`;
}
