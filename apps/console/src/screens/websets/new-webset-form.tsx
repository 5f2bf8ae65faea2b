import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { Field, Form } from "../../ui/form.tsx";
import { send } from "../../api/send.ts";
import { formatDollars, formatNumber } from "../../ui/format.ts";
import { EntityFields } from "./entity-fields.tsx";
import { toLines } from "./to-lines.ts";
import { nameOf } from "./webset-columns.ts";
import type { Webset, WebsetEntity, WebsetEstimate, WebsetPreview } from "./webset-shapes.ts";
import { say } from "../../words/say.ts";

const MOST_CRITERIA = 5;

/** Three steps: what to find; how that is understood, to be changed; what it takes at most, and the start. */
export function NewWebsetForm(): ReactNode {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [query, setQuery] = useState("");
  const [count, setCount] = useState("10");
  const [entity, setEntity] = useState<WebsetEntity>();
  const [criteria, setCriteria] = useState("");
  const [questions, setQuestions] = useState("");
  const [wantsRecall, setWantsRecall] = useState(false);
  const body = {
    search: {
      query,
      count: Number(count),
      ...(wantsRecall ? { recall: true } : {}),
      ...(entity === undefined ? {} : { entity }),
      ...(criteria.trim() === "" ? {} : { criteria: toLines(criteria).map((description) => ({ description })) }),
    },
    enrichments: toLines(questions).map((description) => ({ description })),
  };
  const preview = useMutation({
    mutationFn: () =>
      send<WebsetPreview>("/websets/v0/websets/preview?search=true", { method: "POST", body: { search: { query } } }),
    meta: { quiet: true },
    onSuccess: (understood) => {
      setEntity(understood.search.entity);
      setCriteria(understood.search.criteria.map(({ description }) => description).join("\n"));
      setQuestions(understood.enrichments.map(({ description }) => description).join("\n"));
      estimate.reset();
    },
  });
  const estimate = useMutation({
    mutationFn: () => send<WebsetEstimate>("/quarry/v1/websets/estimate", { method: "POST", body }),
    meta: { quiet: true },
  });
  const make = useMutation({
    mutationFn: () => send<Webset>("/websets/v0/websets", { method: "POST", body }),
    meta: { quiet: true },
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: ["websets"] });
      void navigate({ to: "/websets/$id", params: { id } });
    },
  });
  const isUnderstood = preview.data !== undefined;
  return (
    <Form
      onSubmit={() => (isUnderstood ? make.mutate() : preview.mutate())}
      error={make.error ?? estimate.error ?? preview.error}
      submit={isUnderstood ? say("websets.makeTheWebset") : say("websets.preview")}
      isDisabled={preview.isPending || make.isPending}
      more={
        isUnderstood ? (
          <button type="button" className="button" disabled={estimate.isPending} onClick={() => estimate.mutate()}>
            {say("websets.estimate")}
          </button>
        ) : null
      }
    >
      <Field id="webset-query" label={say("websets.whatTheListIsOf")}>
        <textarea
          id="webset-query"
          className="input"
          rows={2}
          required
          autoFocus
          maxLength={5_000}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            preview.reset();
            setEntity(undefined);
          }}
        />
      </Field>
      <Field id="webset-count" label={say("websets.itemsAtMost")}>
        <input
          id="webset-count"
          className="input"
          type="number"
          min={1}
          max={50_000}
          required
          value={count}
          onChange={(event) => setCount(event.target.value)}
        />
      </Field>
      {preview.data === undefined ? null : (
        <>
          <EntityFields entity={entity ?? preview.data.search.entity} onChange={setEntity} />
          <Lines
            id="webset-criteria"
            label={say("websets.whatEachMustMeetOne", { MOST_CRITERIA })}
            value={criteria}
            onChange={setCriteria}
          />
          <Lines
            id="webset-questions"
            label={say("websets.whatToAskOfEach")}
            value={questions}
            onChange={setQuestions}
          />
          <label className="check">
            <input type="checkbox" checked={wantsRecall} onChange={(event) => setWantsRecall(event.target.checked)} />
            {say("websets.estimateRecall")}
          </label>
          <div className="stack">
            <h3>{say("websets.forInstance")}</h3>
            {preview.data.items.length === 0 ? (
              <p className="soft">{say("websets.theIndexShowsNothingLike")}</p>
            ) : (
              <ul className="prose-list" aria-label={say("websets.forInstance")}>
                {preview.data.items.map((item) => (
                  <li key={item.id} className="wrap">
                    {nameOf(item)} <span className="soft small">{item.properties.url}</span>
                  </li>
                ))}
              </ul>
            )}
          </div>
          {estimate.data === undefined ? null : (
            <p role="status">
              {say("websets.atMostCandidatesJudgedPages", {
                candidates: formatNumber(estimate.data.candidates),
                pages: formatNumber(estimate.data.pages),
                tokens: formatNumber(estimate.data.tokens),
                costDollars: formatDollars(estimate.data.costDollars),
              })}
            </p>
          )}
        </>
      )}
    </Form>
  );
}

function Lines(props: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  return (
    <Field id={props.id} label={props.label}>
      <textarea
        id={props.id}
        className="input"
        rows={3}
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
      />
    </Field>
  );
}
