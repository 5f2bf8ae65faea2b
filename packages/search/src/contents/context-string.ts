import { cutText } from "./cut-text.ts";

/** A result as the context tells of it. */
export interface ContextEntry {
  readonly title: string;
  readonly url: string;
  readonly publishedDate?: string | undefined;
  readonly text: string;
}

const SEPARATOR = "\n\n---\n\n";

/**
 * All results in one string for a model to read, in their order. The budget is shared: a short page leaves its room to
 * the longer ones, so that none of the first pages crowds the others out.
 */
export function composeContext(entries: readonly ContextEntry[], maxCharacters: number): string {
  const heads = entries.map(writeHead);
  const fixed = heads.reduce((sum, head) => sum + head.length, 0) + SEPARATOR.length * Math.max(0, entries.length - 1);
  const shares = shareRoom(
    entries.map(({ text }) => text.length),
    Math.max(0, maxCharacters - fixed),
  );
  const parts = entries.map(({ text }, index) => `${heads[index] ?? ""}${cutText(text, shares[index] ?? 0)}`);
  return cutText(parts.map((part) => part.trimEnd()).join(SEPARATOR), maxCharacters);
}

function writeHead({ title, url, publishedDate }: ContextEntry): string {
  const date = publishedDate === undefined ? "" : `Published: ${publishedDate.slice(0, 10)}\n`;
  return `# ${title}\nURL: ${url}\n${date}\n`;
}

/** Gives each what it needs, the smallest first, and the rest in equal shares. */
function shareRoom(lengths: readonly number[], room: number): readonly number[] {
  const shares = lengths.map(() => 0);
  const order = lengths.map((length, index) => ({ length, index })).sort((one, other) => one.length - other.length);
  let left = room;
  for (const [place, { length, index }] of order.entries()) {
    const share = Math.min(length, Math.floor(left / (order.length - place)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}
