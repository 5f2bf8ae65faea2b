import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { isRecord, send } from "../../api/send.ts";
import { RESEARCH_MODELS, type Research, type ResearchModel } from "./research-shapes.ts";
import { BUDGETS } from "./research-tree.ts";

/** Asks what to find out and how far to go, begins the research and shows it. */
export function NewResearchForm(): ReactNode {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [instructions, setInstructions] = useState("");
  const [model, setModel] = useState<ResearchModel>("exa-research");
  const [schema, setSchema] = useState("");
  const begin = useMutation({
    mutationFn: () =>
      send<Research>("/research/v1", { method: "POST", body: { instructions, model, ...readSchema(schema) } }),
    meta: { quiet: true },
    onSuccess: ({ researchId: id }) => {
      void queries.invalidateQueries({ queryKey: ["research-list"] });
      void navigate({ to: "/research/$id", params: { id } });
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        begin.mutate();
      }}
    >
      <div className="field">
        <label htmlFor="research-instructions">What to find out</label>
        <textarea
          id="research-instructions"
          className="input"
          rows={5}
          required
          autoFocus
          maxLength={50_000}
          value={instructions}
          onChange={(event) => setInstructions(event.target.value)}
        />
      </div>
      <div className="field">
        <label htmlFor="research-model">Budget</label>
        <select
          id="research-model"
          className="input"
          value={model}
          onChange={(event) => setModel(RESEARCH_MODELS.find((one) => one === event.target.value) ?? model)}
        >
          {RESEARCH_MODELS.map((one) => (
            <option key={one} value={one}>
              {one}: {BUDGETS[one].maxPages} pages, {BUDGETS[one].maxMs / 60_000} min at most
            </option>
          ))}
        </select>
      </div>
      <details>
        <summary>An object instead of a text</summary>
        <div className="field">
          <label htmlFor="research-schema">JSON Schema of the result</label>
          <textarea
            id="research-schema"
            className="input code"
            rows={6}
            spellCheck={false}
            value={schema}
            onChange={(event) => setSchema(event.target.value)}
          />
        </div>
      </details>
      {begin.isError ? (
        <p className="error-text" role="alert">
          {begin.error.message}
        </p>
      ) : null}
      <div>
        <button type="submit" className="button primary" disabled={begin.isPending}>
          Begin the research
        </button>
      </div>
    </form>
  );
}

function readSchema(text: string): { readonly outputSchema?: Readonly<Record<string, unknown>> } {
  if (text.trim() === "") return {};
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (cause) {
    throw new Error("The schema is not valid JSON: check its quotes and commas, or leave it empty.", { cause });
  }
  if (!isRecord(schema)) throw new Error('The schema must be an object, as {"type": "object", "properties": …}.');
  return { outputSchema: schema };
}
