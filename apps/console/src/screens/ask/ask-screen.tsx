import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { isTyping } from "../../shell/is-typing.ts";
import { isWelcomed, rememberWelcome } from "../../shell/welcomed.ts";
import { formatNumber } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { EmptyState, SkeletonLines, Trouble } from "../../ui/states.tsx";
import { countSearchable, indexStatsQuery } from "../index/index-stats.ts";
import { AnswerCard } from "./answer-card.tsx";
import { countFilters, MODES, type AskSearch } from "./ask-search.ts";
import { FilterForm } from "./filter-form.tsx";
import { Hit } from "./hit.tsx";
import { PagePanel } from "./page-panel.tsx";
import { SimilarPanel } from "./similar-panel.tsx";
import { Timing } from "./timing.tsx";
import { searchQuery } from "./use-search.ts";
import { say } from "../../words/say.ts";
import { tell } from "../../words/tell.tsx";

const route = getRouteApi("/");

const MODE_WORDS: Readonly<Record<(typeof MODES)[number], string>> = {
  auto: say("ask.wordsAndMeaningReRanked"),
  fast: say("ask.wordsAndMeaningAsQuickly"),
  neural: say("ask.byMeaningAlone"),
  keyword: say("ask.byWordsAlone"),
  deep: say("ask.severalSearchesFromSeveralWordings"),
};

/** The question, how it is asked, and the pages that answer it. Everything shown is in the address. */
export function AskScreen(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [showsFilters, setShowsFilters] = useState(false);
  const question = search.q ?? "";
  useEffect(() => {
    document.title = question === "" ? say("ask.askQuarry") : say("ask.quarry", { question });
  }, [question]);
  const change = (next: Partial<AskSearch>): void => {
    void navigate({ search: (old) => ({ ...old, panel: undefined, url: undefined, ...next }) });
  };
  const filters = countFilters(search);
  const controls = (
    <>
      <SearchBox key={question} question={question} onAsk={(q) => change({ q })} />
      <div className="row spread">
        <fieldset className="chips">
          <legend className="hidden-label">{say("ask.howToSearch")}</legend>
          {MODES.map((mode) => (
            <label key={mode} className="chip" title={MODE_WORDS[mode]}>
              <input
                type="radio"
                name="mode"
                checked={(search.type ?? "auto") === mode}
                onChange={() => change({ type: mode === "auto" ? undefined : mode })}
              />
              {mode}
            </label>
          ))}
        </fieldset>
        <div className="row">
          <label className="chip" title={say("ask.writeAnAnswerFromThe")}>
            <input
              type="checkbox"
              checked={search.answer === true}
              onChange={(event) => change({ answer: event.target.checked ? true : undefined })}
            />
            {say("ask.answerInline")}
          </label>
          <button
            type="button"
            className="chip"
            aria-expanded={showsFilters}
            aria-pressed={filters > 0}
            onClick={() => setShowsFilters(!showsFilters)}
          >
            <Icon name="filter" />
            {filters === 0 ? say("ask.filters") : say("ask.filtersOfFilters", { filters })}
          </button>
        </div>
      </div>
      {showsFilters ? <FilterForm search={search} onChange={change} /> : null}
    </>
  );
  if (question.trim() === "") {
    return (
      <div className="ask-hero">
        <h1>{say("ask.askYourIndex")}</h1>
        {controls}
        <IndexLine />
      </div>
    );
  }
  return (
    <div className="page">
      <h1 className="hidden-label">{say("ask.ask")}</h1>
      <div className="stack">{controls}</div>
      {search.answer === true ? (
        <AnswerCard
          key={question}
          question={question}
          openUrl={search.panel === "quoted" ? search.url : undefined}
          onOpen={(url) => change(url === undefined ? {} : { panel: "quoted", url })}
        />
      ) : null}
      <Results search={search} />
      {search.panel === "page" && search.url !== undefined ? (
        <PagePanel search={search} url={search.url} close={() => change({})} />
      ) : null}
      {search.panel === "similar" && search.url !== undefined ? (
        <SimilarPanel search={search} url={search.url} close={() => change({})} />
      ) : null}
    </div>
  );
}

/** What a question is asked of; an empty index says how to fill it. */
function IndexLine(): ReactNode {
  const { data: stats } = useQuery(indexStatsQuery);
  const pages = stats === undefined ? undefined : countSearchable(stats);
  if (pages === 0) {
    return (
      <EmptyState
        icon="index"
        title={say("ask.thereIsNothingToFind")}
        actions={
          <Link className="button primary" to="/welcome" search={{ step: "fill" }}>
            {say("ask.getStarted")}
          </Link>
        }
      >
        <p>{say("ask.crawlASiteOrImport")}</p>
      </EmptyState>
    );
  }
  return (
    <>
      <p className="soft">
        {pages === undefined ? null : say("ask.pagesToAsk", { pages: formatNumber(pages) })}
        {tell("ask.wordsAQuestion", {
          code: <code>"a phrase"</code>,
          code2: <code>-word</code>,
          code3: <code>site:example.com</code>,
        })}
      </p>
      {pages === undefined ? null : <NewHere />}
    </>
  );
}

/** Points a browser that has never seen it to the guided start, until it is followed or put away. */
function NewHere(): ReactNode {
  const [isGone, setGone] = useState(isWelcomed);
  if (isGone) return null;
  return (
    <div className="notice">
      <Icon name="start" />
      <span className="grow">
        {tell("ask.newHereFillTheIndex", { link: <Link to="/welcome">{say("ask.getStarted")}</Link> })}
      </span>
      <button
        type="button"
        className="button quiet small"
        onClick={() => {
          rememberWelcome();
          setGone(true);
        }}
      >
        {say("ask.notNow")}
      </button>
    </div>
  );
}

function SearchBox({
  question,
  onAsk,
}: {
  readonly question: string;
  readonly onAsk: (question: string) => void;
}): ReactNode {
  const [typed, setTyped] = useState(question);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "/" || isTyping(event)) return;
      event.preventDefault();
      input.current?.select();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <form
      className="search-box"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.trim() !== "") onAsk(typed.trim());
      }}
    >
      <Icon name="ask" />
      <input
        ref={input}
        type="search"
        aria-label={say("ask.ask")}
        placeholder={say("ask.whatDoYouWantTo")}
        autoFocus={question === ""}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <button type="submit" className="button primary">
        {say("ask.ask")}
      </button>
    </form>
  );
}

function Results({ search }: { readonly search: AskSearch }): ReactNode {
  const found = useQuery(searchQuery(search));
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.key !== "j" && event.key !== "k") || isTyping(event)) return;
      const hits = [...(list.current?.querySelectorAll<HTMLElement>("article") ?? [])];
      const at = hits.findIndex((hit) => hit.contains(document.activeElement));
      const next = hits[Math.max(0, Math.min(hits.length - 1, at + (event.key === "j" ? 1 : -1)))];
      next?.focus();
      next?.scrollIntoView({ block: "nearest" });
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  if (found.isError) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  if (found.data === undefined) return <LoadingHits />;
  const { results, warnings = [] } = found.data;
  return (
    <div className="stack" aria-busy={found.isPlaceholderData}>
      <Timing search={search} reply={found.data} />
      {warnings.map(({ code, message }) => (
        <div key={code} className="notice warn">
          <Icon name="warn" />
          <span>{message}</span>
        </div>
      ))}
      {results.length === 0 ? (
        <section className="card">
          <EmptyState
            icon="ask"
            title={say("ask.nothingFound")}
            actions={
              <>
                <Link className="button primary" to="/crawls" search={{ dialog: "new" }}>
                  {say("ask.crawlASiteAboutIt")}
                </Link>
                <Link className="button" to="/index">
                  {say("ask.seeWhatIsIndexed")}
                </Link>
              </>
            }
          >
            <p>{countFilters(search) > 0 ? say("ask.noPageFitsWithFilters") : say("ask.noPageFits")}</p>
          </EmptyState>
        </section>
      ) : (
        <div ref={list} className="hits">
          {results.map((result, index) => (
            <Hit key={result.url} search={search} result={result} rank={index + 1} />
          ))}
        </div>
      )}
    </div>
  );
}

function LoadingHits(): ReactNode {
  return (
    <div className="hits">
      {[0, 1, 2].map((index) => (
        <div key={index} className="hit">
          <SkeletonLines lines={4} />
        </div>
      ))}
    </div>
  );
}
