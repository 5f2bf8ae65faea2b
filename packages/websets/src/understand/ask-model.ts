import type { Llm, LlmUsage } from "@quarry/models";
import { askModel } from "../ask-model.ts";
import type { EntityKind, EntityType } from "../entities/entity.ts";
import type { CellFormat } from "../extractors/cell.ts";
import type { UnderstoodWebset, WebsetQuery } from "./understood-query.ts";

const MAX_OUTPUT_TOKENS = 900;
const SCHEMA = {
  type: "object",
  properties: {
    entityType: { type: "string", enum: ["company", "person", "article", "research_paper", "custom"] },
    entityDescription: {
      type: "string",
      maxLength: 200,
      description: "For custom: what the things are, 2 to 200 characters; else empty.",
    },
    criteria: {
      type: "array",
      minItems: 1,
      maxItems: 5,
      items: { type: "string", minLength: 1, maxLength: 1000 },
      description: "Short conditions that can each be checked on their own.",
    },
    searchQueries: {
      type: "array",
      maxItems: 5,
      items: { type: "string", minLength: 1, maxLength: 400 },
      description: "Different ways to search for such things.",
    },
    enrichments: {
      type: "array",
      maxItems: 5,
      items: {
        type: "object",
        properties: {
          description: { type: "string", minLength: 1 },
          format: { type: "string", enum: ["text", "date", "number", "email", "phone", "url"] },
        },
        required: ["description", "format"],
        additionalProperties: false,
      },
    },
  },
  required: ["entityType", "entityDescription", "criteria", "searchQueries", "enrichments"],
  additionalProperties: false,
} as const;

interface Proposal {
  readonly entityType: EntityType;
  readonly entityDescription: string;
  readonly criteria: readonly string[];
  readonly searchQueries: readonly string[];
  readonly enrichments: readonly { readonly description: string; readonly format: CellFormat }[];
}

/** What a model makes of a query; no value when it failed. */
export async function askModelForQuery(request: WebsetQuery & { readonly llm: Llm }): Promise<{
  readonly value: Pick<UnderstoodWebset, "entity" | "criteria" | "formulations" | "enrichments"> | undefined;
  readonly usage: LlmUsage;
}> {
  const reply = await askModel(
    request.llm,
    {
      name: "webset",
      schema: SCHEMA,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      messages: [
        {
          role: "system",
          content:
            "You turn a request for a list of things into: what kind of thing, conditions to check, search queries, and columns worth having. Add no condition that the request does not state.",
        },
        { role: "user", content: request.query },
      ],
    },
    request.signal,
  );
  if (reply.value === undefined) return { value: undefined, usage: reply.usage };
  const { entityType, entityDescription, criteria, searchQueries, enrichments } = reply.value as Proposal; // of SCHEMA's shape: checked
  const description = entityDescription.trim().slice(0, 200);
  const entity: EntityKind | undefined =
    entityType !== "custom"
      ? { type: entityType }
      : description.length >= 2
        ? { type: "custom", description }
        : undefined;
  if (entity === undefined) return { value: undefined, usage: reply.usage };
  return {
    value: {
      entity,
      criteria: criteria.map((one) => ({ description: one })),
      formulations: searchQueries,
      enrichments,
    },
    usage: reply.usage,
  };
}
