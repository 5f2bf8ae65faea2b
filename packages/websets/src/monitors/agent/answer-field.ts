import type { Embedder, Llm } from "@quarry/models";
import type { AgentMonitorField, FoundContent, Json, WebsetReference } from "@quarry/store";
import type { Entity } from "../../entities/entity.ts";
import type { CellFormat } from "../../extractors/cell.ts";
import type { Judges } from "../../runs/judges.ts";
import { placeReferences } from "../../runs/place-references.ts";
import type { StoredPage } from "../../runs/websets-deps.ts";

/** What is asked of an entity's pages. */
export interface FieldQuestion {
  readonly entity: { readonly name: string; readonly domain: string; readonly description: string | null };
  readonly field: Pick<AgentMonitorField, "id" | "name" | "description" | "type">;
  readonly pages: readonly StoredPage[];
  readonly now: Date;
  readonly llm: Llm | undefined;
  readonly embed?: Embedder["embed"] | undefined;
}

/** What the pages say of a field; undefined when they do not tell. */
export interface FieldAnswer {
  readonly found: FoundContent | undefined;
  /** The texts that the value quotes. */
  readonly references: readonly WebsetReference[];
  readonly tokens: number;
}

const FORMATS: Readonly<Record<Exclude<AgentMonitorField["type"], "boolean">, CellFormat>> = {
  string: "text",
  number: "number",
  date: "date",
  url: "url",
  email: "email",
  phone: "phone",
};

/** Finds out one field of one entity from its pages, as a webset's cell is filled; yes or no as a criterion is judged. */
export async function answerField(
  judges: Pick<Judges, "fillCell" | "judgeCriterion">,
  question: FieldQuestion,
  signal: AbortSignal,
): Promise<FieldAnswer> {
  const { field, pages, now, llm, embed } = question;
  const entity = toEntity(question.entity);
  const asked = `${field.name}: ${field.description}`;
  const answer =
    field.type === "boolean"
      ? await judges.judgeCriterion({ entity, criterion: field.description, pages, now, llm, embed, signal })
      : await judges.fillCell({
          entity,
          enrichment: { description: asked, format: FORMATS[field.type] },
          pages,
          llm,
          signal,
        });
  const references = placeReferences(answer.references, pages);
  const value = "satisfied" in answer ? VERDICTS[answer.satisfied] : toValue(field.type, answer.result);
  const tokens = (answer.usage?.inputTokens ?? 0) + (answer.usage?.outputTokens ?? 0);
  if (value === undefined || references.length === 0) return { found: undefined, references: [], tokens };
  const citations = references.map(({ url, title, snippet }) => ({ url, title, snippet: snippet ?? "" }));
  return { found: { fieldId: field.id, value, citations }, references, tokens };
}

const VERDICTS = { yes: true, no: false, unclear: undefined } as const;

function toValue(type: AgentMonitorField["type"], result: readonly string[] | null): Json | undefined {
  const [first] = result ?? [];
  if (first === undefined) return undefined;
  if (type !== "number") return first;
  const number = Number(first);
  return Number.isFinite(number) ? number : first;
}

/** A monitored thing is anchored by its domain, as a company is. */
function toEntity({
  name,
  domain,
  description,
}: FieldQuestion["entity"]): Pick<Entity, "type" | "name" | "aliases" | "url" | "properties"> {
  const url = `https://${domain}/`;
  const company = {
    name,
    location: null,
    employees: null,
    industry: null,
    about: null,
    logoUrl: null,
    foundedYear: null,
    headquarters: null,
    financials: null,
    webTraffic: null,
  } as const;
  const properties = { type: "company", url, description: description ?? "", company, content: null } as const;
  return { type: "company", name, aliases: [], url, properties };
}
