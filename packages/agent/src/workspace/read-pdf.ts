import { AppError } from "@quarry/base";

/** The text of a PDF, page after page, each below a line with its number (see `pageOf`). Throws `unprocessable` for one that cannot be read. */
export async function readPdfText(bytes: Buffer): Promise<string> {
  try {
    // Loaded when the first PDF is read: it takes a while.
    const { extractText, getDocumentProxy } = await import("unpdf");
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: false });
    return text.map((page, index) => `[page ${index + 1}]\n${page}`).join("\n");
  } catch (cause) {
    throw new AppError("unprocessable", "the PDF cannot be read: it is damaged or locked", { cause });
  }
}

/** Which page a line of `readPdfText` begins; undefined for any other line. */
export function pageOf(line: string): number | undefined {
  const number = /^\[page (\d+)\]$/.exec(line)?.[1];
  return number === undefined ? undefined : Number(number);
}
