/** A piece of text as pdf.js gives it: `transform` holds its size and place. */
export interface PdfItem {
  readonly str?: string;
  readonly hasEOL?: boolean;
  readonly transform?: readonly number[];
  readonly height?: number;
}

/** Joins the pieces of a page to lines and paragraphs: a gap larger than a line begins a paragraph. */
export function joinPdfLines(items: readonly PdfItem[]): string {
  const lines: { text: string; y: number; height: number }[] = [];
  let line = { text: "", y: Number.NaN, height: 0 };
  const close = (): void => {
    const text = line.text.replace(/\s+/g, " ").trim();
    if (text !== "") lines.push({ ...line, text });
    line = { text: "", y: Number.NaN, height: 0 };
  };
  for (const item of items) {
    if (item.str === undefined) continue;
    const y = item.transform?.[5] ?? 0;
    if (Number.isNaN(line.y)) line.y = y;
    line.text += item.str;
    line.height = Math.max(line.height, item.height ?? 0);
    if (item.hasEOL === true) close();
  }
  close();
  let text = "";
  lines.forEach((current, index) => {
    const before = lines[index - 1];
    if (before === undefined) text = current.text;
    else if (isNewParagraph(before, current)) text += `\n\n${current.text}`;
    else if (/\p{L}-$/u.test(text) && /^\p{Ll}/u.test(current.text)) text = text.slice(0, -1) + current.text;
    else text += ` ${current.text}`;
  });
  return text;
}

function isNewParagraph(
  before: { readonly y: number; readonly height: number },
  after: { readonly y: number; readonly height: number },
): boolean {
  const height = Math.max(before.height, 1);
  const gap = before.y - after.y;
  return gap < 0 || gap > height * 1.8 || Math.abs(before.height - after.height) > height * 0.25;
}
