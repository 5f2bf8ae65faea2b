import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
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
import { say } from "../../words/say.ts";
import { tell } from "../../words/tell.tsx";

const route = getRouteApi("/welcome");

const STEP_NAMES: Readonly<Record<Step, string>> = {
  model: say("welcome.chooseAModel"),
  fill: say("welcome.fillTheIndex"),
  ask: say("welcome.askAQuestion"),
  connect: say("welcome.connectAProgram"),
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
      title={say("welcome.getStarted")}
      lead={say("welcome.underTwoMinutesAndEach")}
      actions={
        <Link className="button quiet" to="/" onClick={rememberWelcome}>
          {say("welcome.skipAllOfIt")}
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
          {say("welcome.back")}
        </button>
        {next === undefined ? (
          <Link className="button primary" to="/" onClick={rememberWelcome}>
            {say("welcome.done")}
          </Link>
        ) : (
          <button type="button" className="button primary" onClick={() => go(next)}>
            {say("welcome.next", { step: STEP_NAMES[next].toLowerCase() })}
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
  const { fill, crawl: crawlId } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: stats } = useQuery(indexStatsQuery);
  const choose = (way: FillWay): void => void navigate({ search: (old) => ({ ...old, fill: way }) });
  return (
    <section className="card stack loose">
      {stats === undefined || countSearchable(stats) === 0 ? (
        <p>{say("welcome.theIndexIsEmptyGive")}</p>
      ) : (
        <div className="notice good">
          <Icon name="good" />
          <span>
            {say(stats.documents === 0 ? "welcome.indexHoldsTheSample" : "welcome.indexHoldsPages", {
              pages: countSearchable(stats),
            })}
          </span>
        </div>
      )}
      <div className="chips">
        <button type="button" className="chip" aria-pressed={fill === "sample"} onClick={() => choose("sample")}>
          <Icon name="index" />
          {say("welcome.loadTheSample")}
        </button>
        <button type="button" className="chip" aria-pressed={fill === "crawl"} onClick={() => choose("crawl")}>
          <Icon name="crawl" />
          {say("welcome.crawlASite")}
        </button>
        <button type="button" className="chip" aria-pressed={fill === "import"} onClick={() => choose("import")}>
          <Icon name="upload" />
          {say("welcome.importFiles")}
        </button>
      </div>
      {fill === "crawl" && crawlId === undefined ? (
        <NewCrawlForm onBegun={({ id }) => void navigate({ search: (old) => ({ ...old, crawl: id }) })} />
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
        {say("welcome.visitedFailedWaitingItGoes", {
          done: formatNumber(done),
          failed: formatNumber(failed),
          queued: formatNumber(queued),
        })}
      </span>
      <Link to="/crawls/$id" params={{ id }}>
        {say("welcome.watchIt")}
      </Link>
    </div>
  );
}

function AskStep(): ReactNode {
  const navigate = useNavigate();
  const [question, setQuestion] = useState("");
  return (
    <section className="card stack">
      <p>{say("welcome.askInWordsOrAs")}</p>
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
          aria-label={say("welcome.firstQuestion")}
          placeholder={say("welcome.whatDoYouWantTo")}
          value={question}
          onChange={(event) => setQuestion(event.target.value)}
        />
        <button type="submit" className="button primary">
          {say("welcome.ask")}
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
        {tell("welcome.programsWrittenForExaWork", {
          link: (
            <Link to="/keys" search={{ dialog: "new" }}>
              {say("welcome.keys")}
            </Link>
          ),
        })}
      </p>
      <pre className="code-block">{code}</pre>
      <div>
        <CopyButton text={code} />
      </div>
    </section>
  );
}
