import { chunkText, type TextChunk } from "@quarry/retrieval";
import { hashPassage, type DocumentToEmbed } from "@quarry/store";

/** A piece of a document, and what its vector is known by. */
export interface CutPassage {
  /** The hash in hexadecimal. */
  readonly id: string;
  readonly hash: Uint8Array;
  readonly chunk: TextChunk;
}

/** Cuts a document into the passages that are embedded. Whoever makes vectors ahead of time cuts by this too. */
export function cutPassages(document: Pick<DocumentToEmbed, "text" | "headings" | "title">): readonly CutPassage[] {
  return chunkText(document.text, document.headings, { title: document.title }).map((chunk) => {
    const hash = hashPassage(chunk.passage);
    return { id: Buffer.from(hash).toString("hex"), hash, chunk };
  });
}
