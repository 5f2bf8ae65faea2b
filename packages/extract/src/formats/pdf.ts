import { getDocumentProxy } from "unpdf";
import { detectLanguage } from "../detect-language.ts";
import type { DocumentHeading, ExtractedDocument } from "../extracted-document.ts";
import type { ExtractLimits } from "../limits.ts";
import { toIsoDate } from "../metadata/read-date.ts";
import { emptyDocument } from "../whole-document.ts";
import { joinPdfLines, type PdfItem } from "./pdf-lines.ts";

/** What a PDF may cost beside the limits of its size: checked between pages. */
export interface PdfOptions {
  readonly limits: ExtractLimits;
  /** Pages are read until then; what was read by then is the result. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Extracts the text of a PDF, page by page. Meant for a worker thread (`pdf-worker.ts`): one page can take long,
 * and only a thread's end stops it. Throws when the bytes are no PDF, or one that needs a password.
 */
export async function extractPdf(
  input: { readonly url: string; readonly bytes: Uint8Array },
  options: PdfOptions,
): Promise<ExtractedDocument> {
  const { limits, signal } = options;
  const deadline = performance.now() + options.timeoutMs;
  const limitsReached: string[] = [];
  // pdf.js takes the buffer for itself, so it gets a copy
  const pdf = await getDocumentProxy(input.bytes.slice(), { verbosity: 0 });
  try {
    const { info } = (await pdf.getMetadata()) as unknown as { readonly info: Readonly<Record<string, unknown>> };
    const pages: string[] = [];
    const headings: DocumentHeading[] = [];
    let length = 0;
    for (let number = 1; number <= pdf.numPages; number += 1) {
      signal?.throwIfAborted();
      if (number > limits.maxParts) limitsReached.push("maxParts");
      else if (performance.now() > deadline) limitsReached.push("timeoutMs");
      else if (length > limits.maxTextChars) limitsReached.push("maxTextChars");
      if (limitsReached.length > 0) break;
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      const text = joinPdfLines(items as readonly PdfItem[]);
      page.cleanup();
      if (text === "") continue;
      pages.push(text);
      length += text.length + 2;
    }
    const text = pages.join("\n\n").slice(0, limits.maxTextChars);
    return {
      ...emptyDocument({
        url: input.url,
        mediaType: "application/pdf",
        title: textOrNone(info["Title"]) ?? firstLine(text),
        author: textOrNone(info["Author"]),
        publishedDate: pdfDate(info["CreationDate"]),
        description: textOrNone(info["Subject"]),
      }),
      language: detectLanguage(text, undefined),
      text,
      markdown: text,
      headings,
      limitsReached,
    };
  } finally {
    await pdf.cleanup();
  }
}

function textOrNone(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.replace(/\s+/g, " ").trim();
  return text === "" || /^untitled$/i.test(text) || /\.(?:docx?|tex|indd|pptx?)$/i.test(text) ? undefined : text;
}

function firstLine(text: string): string | undefined {
  const line = text.split("\n").find((one) => /\p{L}{3}/u.test(one));
  return line?.slice(0, 200);
}

/** PDF's own form: D:20240131120000+01'00'. */
function pdfDate(value: unknown): string | undefined {
  const match = /^D:(\d{4})(\d{2})?(\d{2})?/.exec(typeof value === "string" ? value : "");
  return match === null
    ? undefined
    : toIsoDate(`${match[1] ?? ""}-${match[2] ?? "01"}-${match[3] ?? "01"}`, new Date());
}
