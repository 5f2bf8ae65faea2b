import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { Icon } from "../../ui/icon.tsx";
import { SkeletonLines, Trouble } from "../../ui/states.tsx";
import { diagnoseUrl, type Diagnosis } from "./diagnose-url.ts";
import { say } from "../../words/say.ts";

/** Answers why a page is not found: from the documents and from what the crawls met. */
export function WhyNotIndexed(props: {
  readonly url: string | undefined;
  readonly onAsk: (url: string) => void;
}): ReactNode {
  const { url } = props;
  const [typed, setTyped] = useState(url ?? "");
  const answer = useQuery({
    queryKey: ["why-not-indexed", url],
    queryFn: ({ signal }) => diagnoseUrl(url ?? "", signal),
    enabled: url !== undefined,
    retry: false,
  });
  return (
    <section className="card stack" aria-labelledby="why-not">
      <div>
        <h2 id="why-not">{say("crawl.whyIsntThisURLIndexed")}</h2>
        <p className="soft">{say("crawl.looksForItAmongThe")}</p>
      </div>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          props.onAsk(typed.trim());
        }}
      >
        <input
          className="input grow"
          type="url"
          required
          aria-label={say("crawl.uRLThatIsMissing")}
          placeholder={say("crawl.httpsExampleComMissing")}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <button type="submit" className="button">
          {say("crawl.findOut")}
        </button>
      </form>
      {answer.isError ? <Trouble error={answer.error} retry={() => void answer.refetch()} /> : null}
      {answer.isLoading ? <SkeletonLines lines={2} /> : null}
      {answer.data === undefined ? null : <Answer diagnosis={answer.data} />}
    </section>
  );
}

function Answer({ diagnosis }: { readonly diagnosis: Diagnosis }): ReactNode {
  const { isIndexed, sentence, advice, crawlId } = diagnosis;
  return (
    <div className={isIndexed ? "notice good" : "notice warn"} role="status">
      <Icon name={isIndexed ? "good" : "warn"} />
      <div className="wrap">
        <strong>{sentence}</strong>
        <p>
          {advice}{" "}
          {crawlId === undefined ? null : (
            <Link to="/crawls/$id" params={{ id: crawlId }}>
              {say("crawl.seeTheCrawl")}
            </Link>
          )}
        </p>
      </div>
    </div>
  );
}
