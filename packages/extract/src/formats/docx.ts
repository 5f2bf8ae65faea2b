import mammoth from "mammoth";
import type { ExtractedDocument } from "../extracted-document.ts";
import type { ExtractLimits } from "../limits.ts";
import { writeWhole } from "../whole-document.ts";
import { readDublinCore } from "./office-facts.ts";
import { partText, repackArchive, unpackArchive } from "./unpack-archive.ts";

const PARTS = /^(?:\[Content_Types\]\.xml|_rels\/|word\/(?!media\/|embeddings\/|fonts\/)|docProps\/core\.xml)/;

/** Extracts a Word document; throws when the bytes are none. */
export async function extractDocx(
  input: { readonly url: string; readonly bytes: Uint8Array; readonly mediaType: string },
  limits: ExtractLimits,
): Promise<ExtractedDocument | "too-large"> {
  const parts = unpackArchive(input.bytes, PARTS, limits);
  if (parts === "too-large") return parts;
  const { value: html } = await mammoth.convertToHtml({ buffer: Buffer.from(repackArchive(parts)) });
  const facts = readDublinCore(partText(parts, "docProps/core.xml"), limits);
  return writeWhole(html, { ...facts, url: input.url, mediaType: input.mediaType }, limits);
}
