import type { Container } from "./container.ts";
import type { PageNode } from "./page-tree.ts";

/** A run of text between two block boundaries: what is kept or dropped as a whole. */
export interface TextBlock {
  readonly index: number;
  readonly container: Container;
  /** Text pieces and line breaks in reading order. */
  readonly nodes: readonly PageNode[];
  /** White space collapsed, except in preformatted text. */
  readonly text: string;
  readonly preformatted: boolean;
  readonly linkChars: number;
  readonly linkCount: number;
  readonly boldChars: number;
  /** The phrase groups its words touch; see `readPhrases`. */
  readonly phrases: number;
}
