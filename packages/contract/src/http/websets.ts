import { z } from "zod";
import { pagingQuery } from "./paging.ts";
import { absentable, queryBoolean, queryList } from "./values.ts";
import { metadataSchema, websetEntitySchema } from "./webset-entity.ts";

/** The formats of an enrichment. */
export const ENRICHMENT_FORMATS = ["text", "date", "number", "options", "email", "phone", "url"] as const;

/** What an agent most often gets wrong in these bodies, and how they should be. */
export const WEBSET_HINT =
  "Common issues: Ensure criteria is [{description: '...'}], entity is {type: '...'}, behavior is 'append' or 'override', " +
  "and a format 'options' comes with options [{label: '...'}]";

/** The most that a search analyses, however much it is asked for. */
export const MAX_SEARCH_COUNT = 50_000;

const querySchema = z.string().min(1).max(5_000);

/** A source of entities. */
export const websetSourceSchema = z.object({
  source: z.enum(["import", "webset"]),
  id: z.string().min(1).describe("The id of the import, or the id or externalId of the webset."),
});

const criterionSchema = z.object({ description: z.string().min(1).max(1_000) });

const scopeSchema = z.object({
  ...websetSourceSchema.shape,
  relationship: absentable(
    z.object({
      definition: z.string().min(1).max(1_000).describe("What the entities looked for are to those of the source."),
      limit: z.int().min(1).max(10).describe("How many at most for each entity of the source."),
    }),
  ),
});

const searchFields = {
  query: querySchema.describe("What to find, in words. Addresses in it are read too."),
  entity: absentable(websetEntitySchema).describe("What the items are; found out when absent."),
  criteria: absentable(z.array(criterionSchema).min(1).max(5)).describe(
    "What each item must meet; derived when absent.",
  ),
  exclude: absentable(z.array(websetSourceSchema)).describe("Entities of these sources are left out."),
  scope: absentable(z.array(scopeSchema)).describe(
    "Where to look: the entities of these sources, or ones related to them.",
  ),
  recall: absentable(z.boolean()).describe("Whether to estimate how many there are in all."),
  maxPeoplePerCompany: absentable(z.int().min(1)).describe("How many people of one company at most."),
} as const;

const countSchema = z.int().min(1).max(MAX_SEARCH_COUNT);

const optionSchema = z.object({ label: z.string().min(1) });

const enrichmentFields = {
  description: z.string().min(1).max(5_000).describe("What is asked of every item."),
  format: absentable(z.enum(ENRICHMENT_FORMATS)).describe("What the answers are; chosen when absent."),
  options: absentable(z.array(optionSchema).min(1).max(150)).describe(
    "The labels to choose from, with format options.",
  ),
  metadata: absentable(metadataSchema),
} as const;

/** `POST /websets/v0/websets/{webset}/enrichments`. */
export const createEnrichmentSchema = z
  .object({ ...enrichmentFields, instructions: absentable(z.string().max(5_000)) })
  .check(({ value, issues }) => {
    if (value.format !== "options" || value.options !== undefined) return;
    const message = "format options needs options: a list of 1 to 150 {label: '...'}";
    issues.push({ code: "custom", path: ["options"], message, input: value.options });
  })
  .meta({ id: "CreateEnrichment" });

/** `PATCH /websets/v0/websets/{webset}/enrichments/{id}`. */
export const updateEnrichmentSchema = z
  .object({
    ...enrichmentFields,
    description: absentable(enrichmentFields.description),
    metadata: metadataSchema.nullish(),
    title: absentable(z.string().min(1)),
  })
  .meta({ id: "UpdateEnrichment" });

/** What a webset's work may never pass; ours, beside Exa's fields. */
export const websetCapsSchema = z
  .object({
    items: absentable(z.int().min(1)),
    pages: absentable(z.int().min(0)),
    tokens: absentable(z.int().min(0)),
    costDollars: absentable(z.number().min(0)),
  })
  .meta({ id: "WebsetCaps" });

/** `POST /websets/v0/websets`. */
export const createWebsetSchema = z
  .object({
    title: absentable(z.string().min(1)),
    search: absentable(
      z.object({ ...searchFields, count: absentable(countSchema), metadata: absentable(metadataSchema) }),
    ),
    import: absentable(z.array(z.object({ ...websetSourceSchema.shape, evaluate: absentable(z.boolean()) }))),
    enrichments: absentable(z.array(createEnrichmentSchema)),
    exclude: absentable(z.array(websetSourceSchema)),
    externalId: absentable(z.string().min(1).max(300)),
    metadata: absentable(metadataSchema),
    quarry: absentable(z.object({ caps: absentable(websetCapsSchema) })).describe("Quarry's own settings."),
  })
  .check(({ value, issues }) => {
    const refuse = (path: string, message: string): void => {
      issues.push({ code: "custom", path: [path], message, input: value });
    };
    const imports = value.import ?? [];
    if (value.search === undefined && imports.length === 0) {
      refuse("search", "a webset needs a search or an import: give search {query} or import [{source, id}]");
    }
    if (value.search === undefined && imports.some(({ evaluate }) => evaluate === true)) {
      refuse(
        "import",
        "evaluate needs a search whose criteria judge the imported items: give search {query, criteria}",
      );
    }
    const isTwice = imports.some(({ source, id }) =>
      value.search?.scope?.some((scope) => scope.source === source && scope.id === id),
    );
    if (isTwice) refuse("search.scope", "the same source cannot be both import and scope: name it in one of them");
  })
  .meta({ id: "CreateWebset" });

/** `POST /websets/v0/websets/{webset}/searches`. */
export const createWebsetSearchSchema = z
  .object({
    ...searchFields,
    count: countSchema.describe("How many items to find."),
    behavior: absentable(z.enum(["override", "append"])).describe(
      "override judges the items there are by these criteria and drops those that fail; append adds to them.",
    ),
    metadata: absentable(metadataSchema),
  })
  .meta({ id: "CreateWebsetSearch" });

/** `POST /websets/v0/websets/{webset}`. */
export const updateWebsetSchema = z
  .object({ title: absentable(z.string().min(1)), metadata: metadataSchema.nullish() })
  .meta({ id: "UpdateWebset" });

/** `POST /websets/v0/websets/preview`: nested as in the documents, or flat as exa-py sends it. */
export const previewWebsetSchema = z
  .preprocess(
    (body) => (isFlat(body) ? { search: body } : body),
    z.object({
      search: z.object({
        query: querySchema,
        entity: absentable(websetEntitySchema),
        count: absentable(z.int().min(1).max(10)),
      }),
    }),
  )
  .meta({ id: "PreviewWebset" });

function isFlat(body: unknown): body is object {
  return typeof body === "object" && body !== null && "query" in body && !("search" in body);
}

/** `?search=true` of a preview. */
export const previewQuerySchema = z.object({
  search: queryBoolean().optional().describe("Whether to find sample items too."),
});

/** `GET /websets/v0/websets`. */
export const listWebsetsQuerySchema = z.object({
  ...pagingQuery({ max: 100, default: 25 }),
  search: z.string().min(2).max(50).optional().describe("Looked for in id, externalId and title."),
});

/** `GET /websets/v0/websets/{webset}`. */
export const getWebsetQuerySchema = z.object({
  expand: queryList(z.literal("items")).optional().describe("items embeds the first 1,000 items."),
});

/** `GET /websets/v0/websets/{webset}/items`. */
export const listItemsQuerySchema = z.object({
  ...pagingQuery({ max: 100, default: 20 }),
  sourceId: z.string().min(1).optional().describe("Only items of this search or import."),
});

/** `GET /quarry/v1/websets/{webset}/items`. */
export const projectedItemsQuerySchema = z.object({
  ...pagingQuery({ max: 100, default: 50 }),
  sourceId: z.string().min(1).optional(),
  projection: z
    .enum(["card", "answers", "full"])
    .default("card")
    .describe("card: who it is and the verdicts. answers: with the cells. full: everything but the page's text."),
});

/** A person's verdict. */
export const overrideVerdictSchema = z
  .object({
    criterion: z.string().min(1).describe("The criterion, word for word."),
    satisfied: z.enum(["yes", "no", "unclear"]),
    note: absentable(z.string().max(5_000)),
  })
  .meta({ id: "OverrideVerdict" });

/** A person's value of a cell. */
export const overrideCellSchema = z
  .object({
    result: z.array(z.string().min(1)).min(1).nullable().describe("The value, or null for none."),
    note: absentable(z.string().max(5_000)),
  })
  .meta({ id: "OverrideCell" });

/** Whose history. */
export const valueHistoryQuerySchema = z
  .object({ criterion: z.string().min(1).optional(), enrichmentId: z.string().min(1).optional() })
  .refine(({ criterion, enrichmentId }) => (criterion === undefined) !== (enrichmentId === undefined), {
    message: "give criterion or enrichmentId, one of them",
  });

/** Whose attempts. */
export const verdictAttemptsQuerySchema = z.object({ criterion: z.string().min(1).describe("In the words of it.") });

/** A webset to make. */
export type CreateWebset = z.output<typeof createWebsetSchema>;
/** A search to make. */
export type CreateWebsetSearch = z.output<typeof createWebsetSearchSchema>;
/** An enrichment to make. */
export type CreateEnrichment = z.output<typeof createEnrichmentSchema>;
/** Changes of an enrichment. */
export type UpdateEnrichment = z.output<typeof updateEnrichmentSchema>;
/** A preview to make. */
export type PreviewWebset = z.output<typeof previewWebsetSchema>;
