import type { Block, Inline } from "./read-markdown.ts";

/** A whole page of HTML, without scripts and with nothing from elsewhere, that shows the blocks. */
export function writeHtml(title: string, blocks: readonly Block[]): string {
  return [
    "<!doctype html>",
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>`,
    "<style>body{max-width:46rem;margin:3rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif}</style></head><body>",
    ...blocks.map(writeBlock),
    "</body></html>",
    "",
  ].join("\n");
}

function writeBlock(block: Block): string {
  switch (block.kind) {
    case "heading":
      return `<h${block.level}>${writeInline(block.content)}</h${block.level}>`;
    case "paragraph":
      return `<p>${writeInline(block.content)}</p>`;
    case "list": {
      const tag = block.isOrdered ? "ol" : "ul";
      return `<${tag}>${block.items.map((item) => `<li>${writeInline(item)}</li>`).join("")}</${tag}>`;
    }
  }
}

function writeInline(pieces: readonly Inline[]): string {
  return pieces.map(writePiece).join("");
}

function writePiece(piece: Inline): string {
  const text = escapeHtml(piece.text);
  switch (piece.kind) {
    case "text":
      return text;
    case "citation":
      return `<sup><a href="${escapeHtml(piece.url)}">${text}</a></sup>`;
    case "link":
      return `<a href="${escapeHtml(piece.url)}">${text}</a>`;
    default:
      return `<${piece.kind}>${text}</${piece.kind}>`;
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
