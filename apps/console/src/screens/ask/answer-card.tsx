import type { ReactNode } from "react";
import { formatDollars } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { CitationMark } from "../../ui/markdown.tsx";
import { Badge, SkeletonLines, Trouble } from "../../ui/states.tsx";
import { StoredPage } from "./stored-page.tsx";
import { useAnswer, type AnswerSentence } from "./use-answer.ts";
import { say } from "../../words/say.ts";

/** The answer above the results, as it is written; behind each sentence the sources it rests on. */
export function AnswerCard(props: {
  readonly question: string;
  readonly openUrl: string | undefined;
  /** Opens a cited page, or closes it. */
  readonly onOpen: (url: string | undefined) => void;
}): ReactNode {
  const { question, openUrl, onOpen } = props;
  const { answer, askAgain } = useAnswer(question);
  const { sentences, isOver, mode, costDollars, warnings, error } = answer;
  const urls = [...new Set(sentences.flatMap(({ references }) => references.map(({ url }) => url)))];
  const quoted = sentences.flatMap(({ references }) => references.filter(({ url }) => url === openUrl));
  return (
    <section className="card stack" aria-label={say("ask.answer")} aria-busy={!isOver}>
      <div className="row spread">
        <h2>{say("ask.answer")}</h2>
        <span className="row small soft">
          {isOver ? null : <Badge tone="live">{say("ask.writing")}</Badge>}
          {mode === undefined
            ? null
            : mode === "model"
              ? say("ask.byTheLanguageModel")
              : say("ask.inThePagesOwnSentences")}
          {costDollars === undefined ? null : ` · ${formatDollars(costDollars)}`}
        </span>
      </div>
      {sentences.length === 0 && !isOver ? <SkeletonLines lines={2} label={say("ask.writingLabel")} /> : null}
      <p className="reading">
        <span>
          {sentences.map((sentence, index) => (
            <Sentence key={index} sentence={sentence} urls={urls} onOpen={onOpen} />
          ))}
        </span>
      </p>
      {warnings.map((warning) => (
        <div key={warning} className="notice warn">
          <Icon name="warn" />
          <span>{warning}</span>
        </div>
      ))}
      {error === undefined ? null : <Trouble error={error} retry={askAgain} />}
      {openUrl === undefined || (quoted.length === 0 && !isOver) ? null : (
        <StoredPage
          key={openUrl}
          url={openUrl}
          title={quoted[0]?.title}
          quotes={quoted.map(({ snippet }) => snippet)}
          ranges={quoted}
          snapshotId={quoted[0]?.snapshotId}
          close={() => onOpen(undefined)}
        />
      )}
    </section>
  );
}

function Sentence(props: {
  readonly sentence: AnswerSentence;
  readonly urls: readonly string[];
  readonly onOpen: (url: string) => void;
}): ReactNode {
  const { sentence, urls, onOpen } = props;
  const byUrl = new Map(sentence.references.map((reference) => [reference.url, reference]));
  return (
    <span>
      {sentence.text}
      {[...byUrl.values()].map(({ url, snippet }) => (
        <CitationMark key={url} number={urls.indexOf(url) + 1} quote={snippet} onOpen={() => onOpen(url)} />
      ))}{" "}
    </span>
  );
}
