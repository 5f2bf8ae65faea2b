/** A piece of a line of Markdown. */
export type Inline =
  | { readonly kind: "text" | "strong" | "em" | "code"; readonly text: string }
  | { readonly kind: "link"; readonly text: string; readonly url: string }
  /** `[[2]](url)`: the second source, behind what it supports. */
  | { readonly kind: "citation"; readonly text: string; readonly url: string };

/** A block of Markdown. */
export type Block =
  | { readonly kind: "heading"; readonly level: 1 | 2 | 3 | 4; readonly content: readonly Inline[] }
  | { readonly kind: "paragraph"; readonly content: readonly Inline[] }
  | { readonly kind: "list"; readonly isOrdered: boolean; readonly items: readonly (readonly Inline[])[] };

const INLINE =
  /\[\[(\d+)\]\]\((https?:(?:(?!\]\()[^\s)])+)\)|\[((?:[^[\]\\]|\\.)+)\]\((https?:(?:(?!\]\()[^\s)])+)\)|`([^`]+)`|\*\*([^*]+)\*\*|(?<![\w_])_([^_]+)_(?![\w_])|(?<![\w*])\*([^*\s][^*]*)\*/g;

/**
 * Reads the Markdown of reports: headings, paragraphs, lists, links, emphasis and citations. Anything else is its own text,
 * HTML too, and an address that is not http or https is no link.
 */
export function readMarkdown(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let list: { isOrdered: boolean; items: Inline[][] } | undefined;
  const endParagraph = (): void => {
    if (lines.length > 0) blocks.push({ kind: "paragraph", content: readInline(lines.join(" ")) });
    lines = [];
  };
  const endList = (): void => {
    if (list !== undefined) blocks.push({ kind: "list", ...list });
    list = undefined;
  };
  for (const line of text.split("\n")) {
    const heading = /^(#{1,6})\s+(.+)$/.exec(line);
    const item = /^\s*(?:([-*+])|\d+[.)])\s+(.+)$/.exec(line);
    if (heading !== null || item !== null || line.trim() === "") endParagraph();
    if (item === null) endList();
    if (heading !== null) {
      const level = Math.min(4, heading[1]?.length ?? 1) as 1 | 2 | 3 | 4;
      blocks.push({ kind: "heading", level, content: readInline(heading[2] ?? "") });
    } else if (item !== null) {
      const isOrdered = item[1] === undefined;
      if (list !== undefined && list.isOrdered !== isOrdered) endList();
      list ??= { isOrdered, items: [] };
      list.items.push([...readInline(item[2] ?? "")]);
    } else if (line.trim() !== "") lines.push(line.trim());
  }
  endParagraph();
  endList();
  return blocks;
}

/** The pieces of one line. */
export function readInline(text: string): readonly Inline[] {
  const pieces: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > from) pieces.push({ kind: "text", text: text.slice(from, match.index) });
    pieces.push(toPiece(match));
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ kind: "text", text: text.slice(from) });
  return pieces;
}

function toPiece(match: RegExpExecArray): Inline {
  const [whole, number, cited, label, url, code, strong, underlined, starred] = match as readonly (
    string | undefined
  )[];
  if (number !== undefined && cited !== undefined) return { kind: "citation", text: number, url: cited };
  if (label !== undefined && url !== undefined) return { kind: "link", text: label.replaceAll(/\\(.)/g, "$1"), url };
  if (code !== undefined) return { kind: "code", text: code };
  if (strong !== undefined) return { kind: "strong", text: strong };
  return { kind: "em", text: underlined ?? starred ?? whole ?? "" };
}
