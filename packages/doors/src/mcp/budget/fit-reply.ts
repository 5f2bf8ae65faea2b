import { encodeCursor } from "@quarry/base";
import type { CountTokens } from "./count-tokens.ts";
import { shortenCard, type JsonObject } from "./shorten-card.ts";
import { sentenceEnds, wordEnd } from "./text-bounds.ts";

/** One entry of a reply's list: a card, which goes whole, and a text, which may be cut at sentences. */
export interface ReplyItem {
  readonly card: JsonObject;
  readonly text?: string | undefined;
  /** Names where this item stands in the whole list, for the tool that made it. */
  readonly place: string;
}

/** What a tool has to say, before it is cut to size. Items stand in the order of their value. */
export interface ReplyDraft {
  /** What every page of the reply says: small. */
  readonly head: JsonObject;
  /** Under which name the list stands; empty when the one item is the reply itself. */
  readonly listKey: string;
  readonly items: readonly ReplyItem[];
  /** Where the first item's text goes on. */
  readonly textFrom?: number;
  /** There is more after these items: the place where it begins. */
  readonly morePlace?: string | undefined;
  /** How many items there are behind `morePlace`, where that is known. */
  readonly moreCount?: number | undefined;
  /** What to do next, in a sentence. */
  readonly nextStep: string;
}

/** A reply that fits. */
export interface FittedReply {
  readonly structured: JsonObject;
  /** Of the whole result as JSON, with its text and its structured content. */
  readonly tokens: number;
}

/** How a reply is cut. */
export interface FitOptions {
  readonly maxTokens: number;
  readonly count: CountTokens;
  /** Puts page text between marks that the page cannot forge. */
  readonly fence: (text: string) => string;
}

/** What the protocol may add around a result: its own identity and the like. */
export const ENVELOPE_TOKENS = 60;
/** From here on a reply counts as full: a next item is not cut to fill the rest. */
const FULL_SHARE = 0.86;
/** The part of a reply that what every page says may take. */
const HEAD_SHARE = 0.5;
const MAX_ROUNDS = 8;
/** Hardly a text has more characters a token than this; what lies beyond need not be looked at. */
const MAX_CHARACTERS_A_TOKEN = 8;
/** Nearer than this there is hardly another end of a word. */
const WORD_CHARACTERS = 6;
/** Most texts have fewer: with more than that there is no use in measuring the whole first. */
const LIKELY_CHARACTERS_A_TOKEN = 5;

/** The result of a tool call as the protocol has it: the reply as JSON text, for clients of old, and as structured content. */
export function toResult(structured: JsonObject): {
  readonly content: { type: "text"; text: string }[];
  readonly structuredContent: Record<string, unknown>;
} {
  return { content: [{ type: "text", text: JSON.stringify(structured) }], structuredContent: { ...structured } };
}

/**
 * Cuts a reply to its budget: whole items from the first on, then as many sentences of the next item's text as fit, so
 * that nothing is over and little is wasted. What was left out is told in `truncated`, `omitted` and `next.cursor`; pages
 * read one after the other join to the whole.
 */
export function fitReply(given: ReplyDraft, options: FitOptions): FittedReply {
  const budget = options.maxTokens - ENVELOPE_TOKENS;
  const measure = (structured: JsonObject): number => measureReply(structured, options);
  if (roughly(given.items) <= budget * LIKELY_CHARACTERS_A_TOKEN) {
    const whole = compose(given, allItems(given, options), endOf(given));
    const tokens = measure(whole);
    if (tokens <= budget) return { structured: whole, tokens };
  }
  const draft = fitHead(given, budget, options);
  const empty = measure(compose(draft, [], LONGEST_END));
  const fullTokens = FULL_SHARE * options.maxTokens;
  // Pieces counted alone do not add up to the whole: each page is counted as it goes out, and the next try has the difference.
  let best: (FittedReply & { readonly room: number }) | undefined;
  let tooMuch = Infinity;
  let room = budget - empty;
  for (let round = 0; round < MAX_ROUNDS && tooMuch - (best?.room ?? -Infinity) > 1; round += 1) {
    const { items, end, used } = fill(draft, { tokens: room, spare: budget - fullTokens }, options);
    const structured = compose(draft, items, end);
    const tokens = measure(structured);
    if (tokens > budget) {
      tooMuch = Math.min(room, used); // any room from there on makes the same page, or a larger one
      room = between(tooMuch - (tokens - budget), best?.room ?? -Infinity, tooMuch);
      continue;
    }
    if (best === undefined || tokens > best.tokens) best = { structured, tokens, room };
    if (end === undefined || tokens >= fullTokens) break;
    room = between(Math.max(room + 1, used + (budget - tokens)), room, tooMuch);
  }
  if (best !== undefined) return { structured: best.structured, tokens: best.tokens };
  const nothing = compose(draft, [], {
    place: draft.items[0]?.place ?? "",
    offset: 0,
    left: draft.items.length,
    characters: 0,
  });
  return { structured: nothing, tokens: measure(nothing) };
}

/**
 * A draft whose head leaves half of the room to the items, or as much as they need: a larger one is cut like a card, but
 * for what it says about the page text.
 */
function fitHead(draft: ReplyDraft, budget: number, options: FitOptions): ReplyDraft {
  const costOfHead = (head: JsonObject): number => measureReply(compose({ ...draft, head }, [], LONGEST_END), options);
  if (costOfHead(draft.head) <= budget * HEAD_SHARE) return draft;
  const needed = allItems(draft, options).reduce((sum, item) => sum + costOf(item, options.count), 0);
  const limit = Math.max(budget * HEAD_SHARE, budget - needed);
  if (costOfHead(draft.head) <= limit) return draft;
  const { untrusted, note, ...facts } = draft.head;
  const notes = { ...(untrusted !== undefined && { untrusted }), ...(note !== undefined && { note }) };
  const head = shortenCard(facts, (short) => costOfHead({ ...short, ...notes }) <= limit) ?? { shortened: true };
  return { ...draft, head: { ...head, ...notes } };
}

function measureReply(structured: JsonObject, { count }: FitOptions): number {
  return count(JSON.stringify(toResult(structured)));
}

/** The wanted room, or the middle when it lies outside of what is known to fit and what is not. */
function between(wanted: number, fits: number, tooMuch: number): number {
  return wanted > fits && wanted < tooMuch ? wanted : Math.floor((fits + tooMuch) / 2);
}

/** Where a page ends: nowhere, or before a place, with what is left behind it. */
type End =
  undefined | { readonly place: string; readonly offset: number; readonly left: number; readonly characters: number };

/** What the end of a page takes at most. */
const LONGEST_END: End = { place: "0".repeat(12), offset: 999_999, left: 99_999, characters: 9_999_999 };

function endOf(draft: ReplyDraft): End {
  return draft.morePlace === undefined
    ? undefined
    : { place: draft.morePlace, offset: 0, left: draft.moreCount ?? 0, characters: 0 };
}

function compose(draft: ReplyDraft, items: readonly JsonObject[], end: End): JsonObject {
  const list = draft.listKey === "" ? items[0] : { [draft.listKey]: items };
  if (end === undefined) {
    const isCut = [draft.head, ...items].some(({ shortened }) => shortened === true);
    const nextStep = isCut ? `Call again with a larger maxTokens for all of it. ${draft.nextStep}` : draft.nextStep;
    return { ...draft.head, ...list, truncated: isCut, nextStep };
  }
  const { place, offset, left, characters } = end;
  return {
    ...draft.head,
    ...list,
    truncated: true,
    omitted: { ...(left > 0 && { items: left }), ...(characters > 0 && { characters }) },
    next: { cursor: encodeCursor([place, String(offset)]) },
    nextStep: `Call again with the same arguments and cursor for the rest. ${draft.nextStep}`,
  };
}

function allItems(draft: ReplyDraft, options: FitOptions): readonly JsonObject[] {
  return draft.items.map((item, index) => showItem(item, index === 0 ? (draft.textFrom ?? 0) : 0, undefined, options));
}

/** An item with its text from `from` to `to`; a piece says which it is. */
function showItem({ card, text }: ReplyItem, from: number, to: number | undefined, { fence }: FitOptions): JsonObject {
  if (text === undefined) return card;
  const isWhole = from === 0 && (to === undefined || to >= text.length);
  return {
    ...card,
    text: fence(text.slice(from, to)),
    ...(!isWhole && { textRange: [from, to ?? text.length, text.length] }),
  };
}

/** What items may take, and how much of that may stay unused. */
interface Room {
  readonly tokens: number;
  readonly spare: number;
}

function fill(
  draft: ReplyDraft,
  room: Room,
  options: FitOptions,
): { readonly items: readonly JsonObject[]; readonly end: End; readonly used: number } {
  const items: JsonObject[] = [];
  let used = 0;
  const add = (shown: JsonObject): void => {
    items.push(shown);
    used += costOf(shown, options.count);
  };
  for (const [index, item] of draft.items.entries()) {
    const left = room.tokens - used;
    const from = index === 0 ? (draft.textFrom ?? 0) : 0;
    const isFirst = index === 0;
    const rest = (passed: number, offset: number): End => {
      const place = draft.items[index + passed]?.place ?? draft.morePlace;
      const count = draft.items.length - index - passed + (draft.moreCount ?? 0);
      const characters = offset === 0 ? 0 : (item.text?.length ?? 0) - offset;
      return place === undefined ? undefined : { place, offset, left: count, characters };
    };
    const textLeft = (item.text?.length ?? 0) - from;
    if (textLeft <= left * MAX_CHARACTERS_A_TOKEN) {
      const shown = showItem(item, from, undefined, options);
      const cost = costOf(shown, options.count);
      if (cost <= left) {
        items.push(shown);
        used += cost;
        continue;
      }
    }
    if (item.text !== undefined) {
      const to = fitText(item, from, { tokens: left, spare: room.spare }, options);
      if (to > from) {
        add(showItem(item, from, to, options));
        return { items, end: to >= item.text.length ? rest(1, 0) : rest(0, to), used };
      }
    }
    if (!isFirst && left <= room.spare) return { items, end: rest(0, 0), used };
    const short = shortenCard(item.card, (card) => costOf(card, options.count) <= left);
    if (short !== undefined) add(short);
    return { items, end: isFirst ? rest(1, 0) : rest(0, 0), used };
  }
  return { items, end: endOf(draft), used };
}

/** How far an item's text may go: to the end of a sentence, or of a word where sentences would waste too much. */
function fitText(item: ReplyItem, from: number, room: Room, options: FitOptions): number {
  const text = item.text ?? "";
  let left = room.tokens - costOf(showItem(item, from, from, options), options.count);
  if (left <= 0) return from;
  let to = from;
  const limit = from + left * MAX_CHARACTERS_A_TOKEN;
  for (const end of sentenceEnds(text, from, limit)) {
    const cost = textCost(text.slice(to, end), options.count);
    if (cost <= left) {
      left -= cost;
      to = end;
      continue;
    }
    if (left <= room.spare && to > from) break;
    // The next sentence is too long for what is left, and leaving it out would waste much: take words of it.
    return fitWords(text, { from: to, end }, (piece) => textCost(piece, options.count) <= left);
  }
  return to;
}

/** The last end of a word up to which a text fits, found by halves: some words take ten times the tokens of others. */
function fitWords(
  text: string,
  range: { readonly from: number; readonly end: number },
  fits: (piece: string) => boolean,
): number {
  let best = range.from;
  let [least, most] = [range.from, range.end];
  while (most - least > WORD_CHARACTERS) {
    const middle = Math.floor((least + most) / 2);
    const cut = wordEnd(text, range.from, middle);
    if (fits(text.slice(range.from, cut))) {
      best = Math.max(best, cut);
      least = middle;
    } else {
      most = middle;
    }
  }
  return best;
}

/** What an object adds to a result, which holds it twice: as it is, and once more within the text. */
function costOf(value: JsonObject, count: CountTokens): number {
  const json = JSON.stringify(value);
  return count(json) + count(JSON.stringify(json).slice(1, -1)) + 2;
}

function textCost(text: string, count: CountTokens): number {
  const json = JSON.stringify(text).slice(1, -1);
  return count(json) + count(JSON.stringify(json).slice(1, -1));
}

/** How many characters a result would have of these, twice. */
function roughly(items: readonly ReplyItem[]): number {
  return items.reduce((sum, { card, text }) => sum + 2 * (JSON.stringify(card).length + (text?.length ?? 0)), 0);
}

/** Whether these items fill any reply of that budget, so that a tool need not look for more. */
export function isEnough(items: readonly ReplyItem[], maxTokens: number): boolean {
  return roughly(items) > maxTokens * MAX_CHARACTERS_A_TOKEN;
}
