import { useMemo, type ReactNode } from "react";
import { readMarkdown, type Block, type Inline } from "./read-markdown.ts";
import { say } from "../words/say.ts";

/** Markdown as elements, never as HTML; a citation is a button that shows its quote and opens its source. */
export function Markdown(props: {
  readonly text: string;
  readonly quoteOf?: (url: string) => string | undefined;
  readonly onCite: (url: string) => void;
}): ReactNode {
  const { text, quoteOf, onCite } = props;
  const blocks = useMemo(() => readMarkdown(text), [text]);
  const inline = (pieces: readonly Inline[]): ReactNode =>
    pieces.map((piece, index) => <Piece key={index} piece={piece} quoteOf={quoteOf} onCite={onCite} />);
  return <div className="reading">{blocks.map((block, index) => showBlock(block, index, inline))}</div>;
}

function showBlock(block: Block, key: number, inline: (pieces: readonly Inline[]) => ReactNode): ReactNode {
  switch (block.kind) {
    case "heading": {
      // Below the screen's own heading.
      const Tag = block.level === 1 ? "h2" : block.level === 2 ? "h3" : "h4";
      return <Tag key={key}>{inline(block.content)}</Tag>;
    }
    case "paragraph":
      return <p key={key}>{inline(block.content)}</p>;
    case "list": {
      const items = block.items.map((item, index) => <li key={index}>{inline(item)}</li>);
      return block.isOrdered ? (
        <ol key={key} className="prose-list">
          {items}
        </ol>
      ) : (
        <ul key={key} className="prose-list">
          {items}
        </ul>
      );
    }
  }
}

function Piece(props: {
  readonly piece: Inline;
  readonly quoteOf: ((url: string) => string | undefined) | undefined;
  readonly onCite: (url: string) => void;
}): ReactNode {
  const { piece, quoteOf, onCite } = props;
  switch (piece.kind) {
    case "text":
      return piece.text;
    case "strong":
      return <strong>{piece.text}</strong>;
    case "em":
      return <em>{piece.text}</em>;
    case "code":
      return <code>{piece.text}</code>;
    case "link":
      return (
        <a href={piece.url} target="_blank" rel="noreferrer noopener">
          {piece.text}
        </a>
      );
    case "citation":
      return <CitationMark number={piece.text} quote={quoteOf?.(piece.url)} onOpen={() => onCite(piece.url)} />;
  }
}

/** A small number behind a sentence: its quote shows on hover and focus, and a click opens the stored page. */
export function CitationMark(props: {
  readonly number: string | number;
  readonly quote: string | undefined;
  readonly onOpen: () => void;
}): ReactNode {
  return (
    <span className="cite">
      <button type="button" aria-label={say("ui.source", { number: props.number })} onClick={props.onOpen}>
        {props.number}
      </button>
      {props.quote === undefined || props.quote === "" ? null : (
        <span className="cite-quote" role="tooltip">
          {props.quote}
        </span>
      )}
    </span>
  );
}
