import { z } from "zod";
import { contentsOptionsSchema, contentsShape } from "./contents-options.ts";
import { costDollarsSchema, outputSchema, resultSchema, warningSchema } from "./search-result.ts";
import { absentable, instant, questionText } from "./values.ts";

/** The longest query; a longer one is a mistake. */
export const MAX_QUERY_CHARACTERS = 20_000;
/** The most entries of includeDomains and of excludeDomains. */
export const MAX_DOMAINS = 1_200;

/** Every type a client may send, old and new. */
export const searchTypes = [
  "auto",
  "fast",
  "instant",
  "lite",
  "neural",
  "keyword",
  "hybrid",
  "magic",
  "deep",
  "deep-lite",
  "deep-reasoning",
  "deep-max",
] as const;

const domains = z.array(z.string().min(1).max(2_048)).max(MAX_DOMAINS);
const phrases = z
  .array(
    z
      .string()
      .min(1)
      .max(1_000)
      .refine((phrase) => phrase.trim().split(/\s+/).length <= 5, { error: "expected at most 5 words" }),
  )
  .max(1);

const userLocationSchema = z.union([
  z.string().regex(/^[A-Za-z]{2}$/, { error: "expected a country of two letters, such as US" }),
  z.looseObject({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) }),
]);

/** What `/search` and `/findSimilar` share: how many results, and which pages may be among them. */
export const resultFilterShape = {
  numResults: absentable(z.int())
    .describe("How many results, 1 to 100; 10 unless given.")
    .meta({ minimum: 1, maximum: 100 }),
  category: absentable(z.string().min(1).max(200)).describe(
    "company, people, publication, news, personal site, financial report, research paper, pdf, github, tweet or " +
      "linkedin profile narrow the results; any other word is a hint.",
  ),
  includeDomains: absentable(domains).describe("example.com, example.com/docs or *.example.com; only these."),
  excludeDomains: absentable(domains).describe("None of these."),
  startPublishedDate: absentable(instant()),
  endPublishedDate: absentable(instant()),
  startCrawlDate: absentable(instant()),
  endCrawlDate: absentable(instant()),
  includeText: absentable(phrases).describe("A phrase of at most 5 words that the page must have."),
  excludeText: absentable(phrases).describe("A phrase of at most 5 words that its first 1000 words must not have."),
  moderation: absentable(z.boolean()).describe("Leave unsafe pages out."),
  compliance: absentable(z.literal("hipaa")).describe("Answers from stored pages alone."),
  contents: absentable(contentsOptionsSchema).describe("Which contents to return; none unless given."),
  quarry: absentable(z.object({ evidence: absentable(z.boolean()) })).describe(
    "Quarry's own: with evidence, results say where their quotes stand in which stored copy.",
  ),
  ...contentsShape,
} as const;

/** `POST /search`. */
export const searchSchema = z
  .object({
    query: questionText(MAX_QUERY_CHARACTERS).describe(
      'Words or a question; also "phrases", -word, site:example.com, title:word.',
    ),
    type: absentable(z.enum(searchTypes)).describe("How to search; auto unless given."),
    ...resultFilterShape,
    userLocation: absentable(userLocationSchema).describe("A country, or a place."),
    additionalQueries: absentable(z.array(z.string().min(1).max(MAX_QUERY_CHARACTERS)).max(10)).describe(
      "Other wordings, for the deep types.",
    ),
    systemPrompt: absentable(z.string().max(50_000)).describe("What the output should look at."),
    outputSchema: absentable(z.record(z.string(), z.unknown())).describe(
      '{"type":"text"} or a JSON Schema of type object: the reply then has an output made from the results.',
    ),
    stream: absentable(z.boolean()).describe("With outputSchema: the reply as server-sent events."),
    objective: absentable(z.string().max(50_000)),
  })
  .meta({
    id: "Search",
    examples: [
      { query: "how do embeddings work", numResults: 5, contents: { highlights: true } },
      { query: "release notes", type: "keyword", includeDomains: ["example.com/docs"], contents: { text: true } },
    ],
  });

/** Reply of `POST /search`. */
export const searchReplySchema = z
  .object({
    requestId: z.string(),
    resolvedSearchType: z.string().describe("The plan that was run: keyword, neural, fast, auto or deep."),
    autoDate: z.iso.datetime().optional().describe("A date that the query itself asked for."),
    results: z.array(resultSchema),
    context: z.string().optional(),
    output: outputSchema.optional(),
    searchTime: z.number().describe("Milliseconds."),
    costDollars: costDollarsSchema,
    warnings: z.array(warningSchema).optional(),
  })
  .meta({ id: "SearchReply" });

/** A checked `POST /search`. */
export type SearchBody = z.output<typeof searchSchema>;
/** One of the types a client may send. */
export type SearchType = (typeof searchTypes)[number];
/** A reply of `POST /search`. */
export type SearchReplyBody = z.input<typeof searchReplySchema>;
