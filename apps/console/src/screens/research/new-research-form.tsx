import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { Field, Form } from "../../ui/form.tsx";
import { isRecord, send } from "../../api/send.ts";
import { RESEARCH_MODELS, type Research, type ResearchModel } from "./research-shapes.ts";
import { BUDGETS } from "./research-tree.ts";
import { say } from "../../words/say.ts";

const SCHEMA_EXAMPLE = '{"type": "object", "properties": …}';

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
    <Form
      onSubmit={() => begin.mutate()}
      error={begin.error}
      submit={say("research.beginTheResearch")}
      isDisabled={begin.isPending}
    >
      <Field id="research-instructions" label={say("research.whatToFindOut")}>
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
      </Field>
      <Field id="research-model" label={say("research.budget")}>
        <select
          id="research-model"
          className="input"
          value={model}
          onChange={(event) => setModel(RESEARCH_MODELS.find((one) => one === event.target.value) ?? model)}
        >
          {RESEARCH_MODELS.map((one) => (
            <option key={one} value={one}>
              {say("research.pagesMinAtMost", {
                one,
                maxPages: BUDGETS[one].maxPages,
                maxMs: BUDGETS[one].maxMs / 60_000,
              })}
            </option>
          ))}
        </select>
      </Field>
      <details>
        <summary>{say("research.anObjectInsteadOfA")}</summary>
        <Field id="research-schema" label={say("research.jSONSchemaOfTheResult")}>
          <textarea
            id="research-schema"
            className="input code"
            rows={6}
            spellCheck={false}
            value={schema}
            onChange={(event) => setSchema(event.target.value)}
          />
        </Field>
      </details>
    </Form>
  );
}

function readSchema(text: string): { readonly outputSchema?: Readonly<Record<string, unknown>> } {
  if (text.trim() === "") return {};
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (cause) {
    throw new Error(say("research.theSchemaIsNotValid"), { cause });
  }
  if (!isRecord(schema)) throw new Error(say("research.theSchemaMustBeAn", { example: SCHEMA_EXAMPLE }));
  return { outputSchema: schema };
}
