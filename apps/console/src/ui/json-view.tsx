import type { ReactNode } from "react";

const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/g;
/** Longer texts are shown without colours: a thousand spans a line help nobody. */
const LONGEST_COLOURED = 200_000;

/** JSON with its names, texts and numbers told apart by colour. */
export function JsonView({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  return (
    <pre className="code-block" tabIndex={0} role="region" aria-label={label}>
      {text.length > LONGEST_COLOURED ? text : colour(text)}
    </pre>
  );
}

function colour(text: string): readonly ReactNode[] {
  const pieces: ReactNode[] = [];
  let from = 0;
  for (const match of text.matchAll(TOKENS)) {
    const [whole, quoted, colon, plain] = match;
    if (match.index > from) pieces.push(text.slice(from, match.index));
    const kind = plain !== undefined ? "json-number" : colon === undefined ? "json-text" : "json-key";
    pieces.push(
      <span key={match.index} className={kind}>
        {quoted ?? whole}
      </span>,
    );
    if (colon !== undefined) pieces.push(colon);
    from = match.index + whole.length;
  }
  pieces.push(text.slice(from));
  return pieces;
}
