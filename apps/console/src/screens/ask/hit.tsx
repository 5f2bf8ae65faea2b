import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useId, useState, type ReactNode } from "react";
import { formatDay, hostOf } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Pieces } from "../../ui/pieces.tsx";
import { SkeletonLines, Trouble } from "../../ui/states.tsx";
import type { AskSearch } from "./ask-search.ts";
import { markWords } from "./mark-quotes.ts";
import type { SearchResult } from "./search-shapes.ts";
import { explainQuery } from "./use-search.ts";
import { Why } from "./why.tsx";
import { say } from "../../words/say.ts";

const QUOTES_SHOWN = 3;

/** One result: where it is from, what it says to the question, and what can be done with it. */
export function Hit(props: {
  readonly search: AskSearch;
  readonly result: SearchResult;
  readonly rank: number;
}): ReactNode {
  const { search, result, rank } = props;
  const titleId = useId();
  const [showsWhy, setShowsWhy] = useState(false);
  const navigate = useNavigate();
  const show = (panel: "page" | "similar"): void => {
    void navigate({ to: "/", search: { ...search, panel, url: result.url } });
  };
  const host = hostOf(result.url);
  const title = result.title === null || result.title === "" ? result.url : result.title;
  return (
    <article
      className="hit"
      aria-labelledby={titleId}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget || event.metaKey || event.ctrlKey || event.altKey) return;
        if (event.key === "Enter") show("page");
        else if (event.key === "s") show("similar");
        else if (event.key === "w") setShowsWhy(!showsWhy);
      }}
    >
      <div className="hit-place">
        <span className="hit-letter" aria-hidden="true">
          {host.charAt(0)}
        </span>
        <span className="clip" title={result.url}>
          {host}
          {pathOf(result.url)}
        </span>
        {result.publishedDate === undefined ? null : <span>· {formatDay(result.publishedDate)}</span>}
        {result.author === undefined || result.author === null ? null : <span className="clip">· {result.author}</span>}
      </div>
      <h2 id={titleId}>
        <Link to="/" search={{ ...search, panel: "page", url: result.url }}>
          {title}
        </Link>
      </h2>
      {(result.highlights ?? []).slice(0, QUOTES_SHOWN).map((highlight, index) => (
        <blockquote key={index} className="quote">
          <Pieces pieces={markWords(highlight, search.q ?? "")} />
        </blockquote>
      ))}
      <div className="hit-actions">
        <button type="button" className="button quiet small" onClick={() => show("page")}>
          <Icon name="page" />
          {say("ask.storedPage")}
        </button>
        <button
          type="button"
          className="button quiet small"
          aria-expanded={showsWhy}
          onClick={() => setShowsWhy(!showsWhy)}
        >
          <Icon name="why" />
          {say("ask.why", { rank })}
        </button>
        <button type="button" className="button quiet small" onClick={() => show("similar")}>
          <Icon name="similar" />
          {say("ask.similar")}
        </button>
        <a className="button quiet small" href={result.url} target="_blank" rel="noreferrer noopener">
          <Icon name="out" />
          {say("ask.onTheWeb")}
        </a>
      </div>
      {showsWhy ? <WhyOf search={search} url={result.url} /> : null}
    </article>
  );
}

function WhyOf({ search, url }: { readonly search: AskSearch; readonly url: string }): ReactNode {
  const explained = useQuery(explainQuery(search));
  if (explained.isError) return <Trouble error={explained.error} retry={() => void explained.refetch()} />;
  if (explained.data === undefined) return <SkeletonLines lines={3} label={say("ask.askingWhy")} />;
  const explanation = explained.data.results.find((one) => one.url === url);
  return explanation === undefined ? (
    <p className="why soft">{say("ask.theIndexHasChangedSince")}</p>
  ) : (
    <Why explanation={explanation} />
  );
}

function pathOf(url: string): string {
  if (!URL.canParse(url)) return "";
  const { pathname } = new URL(url);
  return pathname === "/" ? "" : pathname;
}
