import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { send } from "../../api/send.ts";
import { formatDollars, formatNumber } from "../../ui/format.ts";
import { nameOf } from "./webset-columns.ts";
import type { Webset, WebsetEntity, WebsetEstimate, WebsetPreview } from "./webset-shapes.ts";
import { say } from "../../words/say.ts";

const ENTITY_TYPES = ["company", "person", "article", "research_paper", "custom"] as const;
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
  const body = {
    search: {
      query,
      count: Number(count),
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
  const error = make.error ?? estimate.error ?? preview.error;
  const isUnderstood = preview.data !== undefined;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (isUnderstood) make.mutate();
        else preview.mutate();
      }}
    >
      <div className="field">
        <label htmlFor="webset-query">{say("websets.whatTheListIsOf")}</label>
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
      </div>
      <div className="field">
        <label htmlFor="webset-count">{say("websets.itemsAtMost")}</label>
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
      </div>
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
      {error === null ? null : (
        <p className="error-text" role="alert">
          {error.message}
        </p>
      )}
      <div className="row">
        <button type="submit" className="button primary" disabled={preview.isPending || make.isPending}>
          {isUnderstood ? say("websets.makeTheWebset") : say("websets.preview")}
        </button>
        {isUnderstood ? (
          <button type="button" className="button" disabled={estimate.isPending} onClick={() => estimate.mutate()}>
            {say("websets.estimate")}
          </button>
        ) : null}
      </div>
    </form>
  );
}

/** How the query was understood, to be changed. */
function EntityFields(props: {
  readonly entity: WebsetEntity;
  readonly onChange: (entity: WebsetEntity) => void;
}): ReactNode {
  const { entity, onChange } = props;
  return (
    <div className="grid">
      <div className="field">
        <label htmlFor="webset-entity">{say("websets.whatTheItemsAre")}</label>
        <select
          id="webset-entity"
          className="input"
          value={entity.type}
          onChange={({ target }) =>
            onChange(target.value === "custom" ? { type: "custom", description: "" } : { type: target.value })
          }
        >
          {ENTITY_TYPES.map((type) => (
            <option key={type} value={type}>
              {type.replace("_", " ")}
            </option>
          ))}
        </select>
      </div>
      {entity.type === "custom" ? (
        <div className="field">
          <label htmlFor="webset-entity-words">{say("websets.inWords")}</label>
          <input
            id="webset-entity-words"
            className="input"
            required
            minLength={2}
            maxLength={200}
            value={entity.description ?? ""}
            onChange={(event) => onChange({ type: "custom", description: event.target.value })}
          />
        </div>
      ) : null}
    </div>
  );
}

function Lines(props: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  return (
    <div className="field">
      <label htmlFor={props.id}>{props.label}</label>
      <textarea
        id={props.id}
        className="input"
        rows={3}
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
      />
    </div>
  );
}

function toLines(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
