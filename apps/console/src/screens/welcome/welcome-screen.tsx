import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { Crawl } from "../../api/shapes.ts";
import { rememberWelcome } from "../../shell/welcomed.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { formatNumber } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { CrawlBadge } from "../crawl/crawl-badge.tsx";
import { NewCrawlForm } from "../crawl/new-crawl-form.tsx";
import { useLiveCrawl } from "../crawl/use-crawl.ts";
import { ImportFiles } from "../index/import-files.tsx";
import { countSearchable, indexStatsQuery } from "../index/index-stats.ts";
import { LoadSample } from "./load-sample.tsx";
import { ModelStep } from "./model-step.tsx";
import { STEPS, type FillWay, type Step } from "./welcome-search.ts";

const route = getRouteApi("/welcome");

const STEP_NAMES: Readonly<Record<Step, string>> = {
  model: "Choose a model",
  fill: "Fill the index",
  ask: "Ask a question",
  connect: "Connect a program",
};

/** The guided start: a model if there is one, something to search, a first question, a first program. Every step can be passed over. */
export function WelcomeScreen(): ReactNode {
  const { step = "model" } = route.useSearch();
  const navigate = route.useNavigate();
  const at = STEPS.indexOf(step);
  const go = (to: Step): void => void navigate({ search: (old) => ({ ...old, step: to }) });
  const next = STEPS[at + 1];
  return (
    <Page
      title="Get started"
      lead="Under two minutes, and each step can be skipped."
      actions={
        <Link className="button quiet" to="/" onClick={rememberWelcome}>
          Skip all of it
        </Link>
      }
    >
      <ol className="steps">
        {STEPS.map((one, index) => (
          <li key={one} className={index < at ? "past" : undefined} aria-current={one === step ? "step" : undefined}>
            {index + 1}. {STEP_NAMES[one]}
          </li>
        ))}
      </ol>
      {STEP_PARTS[step]()}
      <div className="row spread">
        <button
          type="button"
          className="button quiet"
          disabled={at === 0}
          onClick={() => go(STEPS[Math.max(0, at - 1)] ?? "model")}
        >
          Back
        </button>
        {next === undefined ? (
          <Link className="button primary" to="/" onClick={rememberWelcome}>
            Done
          </Link>
        ) : (
          <button type="button" className="button primary" onClick={() => go(next)}>
            Next: {STEP_NAMES[next].toLowerCase()}
          </button>
        )}
      </div>
    </Page>
  );
}

const STEP_PARTS: Readonly<Record<Step, () => ReactNode>> = {
  model: () => <ModelStep />,
  fill: () => <FillStep />,
  ask: () => <AskStep />,
  connect: () => <ConnectStep />,
};

function FillStep(): ReactNode {
  const { fill } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: stats } = useQuery(indexStatsQuery);
  const [crawlId, setCrawlId] = useState<string>();
  const choose = (way: FillWay): void => void navigate({ search: (old) => ({ ...old, fill: way }) });
  return (
    <section className="card stack loose">
      {stats === undefined || countSearchable(stats) === 0 ? (
        <p>The index is empty. Give it something to find: pages of a site, or files of yours.</p>
      ) : (
        <div className="notice good">
          <Icon name="good" />
          <span>
            The index holds {formatNumber(countSearchable(stats))} pages
            {stats.documents === 0 ? ": the sample that comes with Quarry" : ""}. You can go on, or add your own.
          </span>
        </div>
      )}
      <div className="chips">
        <button type="button" className="chip" aria-pressed={fill === "sample"} onClick={() => choose("sample")}>
          <Icon name="index" />
          Load the sample
        </button>
        <button type="button" className="chip" aria-pressed={fill === "crawl"} onClick={() => choose("crawl")}>
          <Icon name="crawl" />
          Crawl a site
        </button>
        <button type="button" className="chip" aria-pressed={fill === "import"} onClick={() => choose("import")}>
          <Icon name="upload" />
          Import files
        </button>
      </div>
      {fill === "crawl" && crawlId === undefined ? (
        <NewCrawlForm onBegun={(crawl: Crawl) => setCrawlId(crawl.id)} />
      ) : null}
      {fill === "crawl" && crawlId !== undefined ? <CrawlUnderWay id={crawlId} /> : null}
      {fill === "sample" ? <LoadSample /> : null}
      {fill === "import" ? <ImportFiles /> : null}
    </section>
  );
}

function CrawlUnderWay({ id }: { readonly id: string }): ReactNode {
  const { crawl } = useLiveCrawl(id);
  if (crawl.data === undefined) return null;
  const { done, queued, failed } = crawl.data.progress;
  return (
    <div className="notice" role="status">
      <CrawlBadge status={crawl.data.status} />
      <span className="grow">
        {formatNumber(done)} visited, {formatNumber(failed)} failed, {formatNumber(queued)} waiting. It goes on by
        itself; go on to the next step whenever you like.
      </span>
      <Link to="/crawls/$id" params={{ id }}>
        Watch it
      </Link>
    </div>
  );
}

function AskStep(): ReactNode {
  const navigate = useNavigate();
  const [question, setQuestion] = useState("");
  return (
    <section className="card stack">
      <p>
        Ask in words or as a question. Each result shows the sentences that answer it, and the page as it was stored.
      </p>
      <form
        className="search-box"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          rememberWelcome();
          void navigate({ to: "/", search: { q: question.trim() } });
        }}
      >
        <Icon name="ask" />
        <input
          type="search"
          required
          autoFocus
          aria-label="First question"
          placeholder="What do you want to know?"
          value={question}
          onChange={(event) => setQuestion(event.target.value)}
        />
        <button type="submit" className="button primary">
          Ask
        </button>
      </form>
    </section>
  );
}

function ConnectStep(): ReactNode {
  const code = [
    'import Exa from "exa-js";',
    `const exa = new Exa(process.env.QUARRY_API_KEY, ${JSON.stringify(location.origin)});`,
    'const { results } = await exa.search("how do embeddings work");',
  ].join("\n");
  return (
    <section className="card stack">
      <p>
        Programs written for Exa work as they are; only the address changes. Make a key for yours under{" "}
        <Link to="/keys" search={{ dialog: "new" }}>
          Keys
        </Link>
        .
      </p>
      <pre className="code-block">{code}</pre>
      <div>
        <CopyButton text={code} />
      </div>
    </section>
  );
}
