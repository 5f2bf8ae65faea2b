import { z } from "zod";
import { contentsOptionsSchema, contentsShape } from "./contents-options.ts";
import { costDollarsSchema, resultSchema, warningSchema } from "./search-result.ts";
import { absentable } from "./values.ts";

const idSchema = z.string().min(1).max(2_048);
/** Old code hands whole results over where ids belong. */
const idOrResultSchema = z.union([
  idSchema,
  z
    .looseObject({ id: absentable(idSchema), url: absentable(idSchema) })
    .refine(({ id, url }) => (id ?? url) !== undefined, { error: "expected an id or url in it" })
    .transform(({ id, url }): string => id ?? url ?? ""),
]);
const ids = z.array(idOrResultSchema).min(1).max(100);

/** `POST /contents`. Exactly one of `urls` and `ids`; the door says so, since the two cannot be told apart here. */
export const contentsSchema = z
  .object({
    urls: absentable(ids).describe("1 to 100 addresses."),
    ids: absentable(ids).describe("As urls: a result's id is its address."),
    documents: absentable(ids).describe("As ids, for old clients."),
    compliance: absentable(z.literal("hipaa")).describe("Answers from stored pages alone."),
    contents: absentable(contentsOptionsSchema).describe("The options below may also stand in here."),
    quarry: absentable(z.object({ evidence: absentable(z.boolean()) })).describe(
      "Quarry's own: with evidence, results say where their quotes stand in which stored copy.",
    ),
    query: absentable(z.string().max(10_000)).describe("What highlights and summaries look for."),
    ...contentsShape,
  })
  .meta({ id: "Contents", examples: [{ urls: ["https://example.com/"], text: { maxCharacters: 2_000 } }] });

/** What became of one requested id. */
export const contentsStatusSchema = z
  .object({
    id: z.string().describe("As requested."),
    status: z.enum(["success", "error"]),
    source: z.enum(["cached", "crawled"]).optional(),
    error: z
      .object({ tag: z.string(), httpStatusCode: z.int().nullable().describe("Of the page, not of this reply.") })
      .optional(),
  })
  .meta({ id: "ContentsStatus" });

/** Reply of `POST /contents`. */
export const contentsReplySchema = z
  .object({
    requestId: z.string(),
    results: z.array(resultSchema),
    context: z.string().optional(),
    statuses: z.array(contentsStatusSchema).describe("One for each requested id, in that order."),
    searchTime: z.number().describe("Milliseconds."),
    costDollars: costDollarsSchema,
    warnings: z.array(warningSchema).optional(),
  })
  .meta({ id: "ContentsReply" });

/** A checked `POST /contents`. */
export type ContentsBody = z.output<typeof contentsSchema>;
/** What became of one requested id, as the wire shows it. */
export type ContentsStatus = z.input<typeof contentsStatusSchema>;
/** A reply of `POST /contents`. */
export type ContentsReplyBody = z.input<typeof contentsReplySchema>;
