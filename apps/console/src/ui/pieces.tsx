import type { ReactNode } from "react";

/** Text in pieces, some of them marked; never read as HTML. */
export function Pieces({
  pieces,
}: {
  readonly pieces: readonly { readonly text: string; readonly isMarked: boolean }[];
}): ReactNode {
  return pieces.map(({ text, isMarked }, index) => (isMarked ? <mark key={index}>{text}</mark> : text));
}
