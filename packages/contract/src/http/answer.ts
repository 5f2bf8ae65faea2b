import { z } from "zod";
import { costDollarsSchema, warningSchema } from "./search-result.ts";
import { absentable, questionText, timestampSchema } from "./values.ts";

const jsonSchemaSchema = z.record(z.string(), z.unknown());

/** `POST /answer`. */
export const answerSchema = z
  .object({
    query: questionText(10_000).describe("The question."),
    stream: absentable(z.boolean()).describe("Answer as server-sent events."),
    text: absentable(z.boolean()).describe("Put the full text of each page into its citation."),
    model: absentable(z.enum(["exa", "exa-pro"])).describe("exa-pro reads more pages."),
    systemPrompt: absentable(z.string().max(20_000)).describe(
      "Instructions for the language model, when there is one.",
    ),
    outputSchema: absentable(jsonSchemaSchema).describe("JSON Schema (draft-07) of the answer."),
    userLocation: absentable(z.union([z.string().max(100), z.record(z.string(), z.unknown())])),
    quarry: absentable(z.object({ evidence: absentable(z.boolean()) })).describe("`evidence`: show the quotes."),
  })
  .meta({ id: "AnswerRequest" });

/** A page that an answer rests on. */
export const answerCitationSchema = z
  .object({
    id: z.string(),
    url: z.string(),
    title: z.string(),
    author: z.string().nullable(),
    publishedDate: timestampSchema.optional(),
    image: z.string().optional(),
    favicon: z.string().optional(),
    text: z.string().optional(),
  })
  .meta({ id: "AnswerCitation" });

/** A quote behind a sentence: where it really stands. */
export const referenceSchema = z
  .object({
    url: z.string(),
    title: z.string(),
    snippet: z.string(),
    snapshotId: z.string().nullable(),
    extractorVersion: z.string(),
    start: z.int().describe("UTF-16 offset into the extracted text."),
    end: z.int(),
  })
  .meta({ id: "Reference" });

/** How an answer came about. */
export const answerDetailsSchema = z.object({
  mode: z.enum(["extractive", "model"]).describe("Made of sentences of pages, or written by the language model."),
  warnings: z.array(warningSchema),
  sentences: z
    .array(z.object({ text: z.string(), references: z.array(referenceSchema).min(1) }))
    .optional()
    .describe("With `quarry: {evidence: true}`: every sentence with the quotes it rests on."),
});

/** Reply of `POST /answer`. */
export const answerReplySchema = z
  .object({
    requestId: z.string(),
    answer: z.union([z.string(), z.record(z.string(), z.unknown())]),
    citations: z.array(answerCitationSchema),
    costDollars: costDollarsSchema,
    quarry: answerDetailsSchema,
  })
  .meta({ id: "AnswerReply" });

/** One frame of a streamed answer: a piece of the text, the citations, the end, or the failure. */
export const answerStreamFrameSchema = z.object({
  choices: z.array(z.object({ delta: z.object({ content: z.string().optional() }) })).optional(),
  citations: z.array(answerCitationSchema).optional(),
  requestId: z.string().optional(),
  quarry: z
    .object({ references: z.array(referenceSchema).optional(), warnings: z.array(warningSchema).optional() })
    .optional(),
  payload: z.object({ error: z.object({ code: z.int(), message: z.string() }) }).optional(),
});

/** A cited page as the wire shows it. */
export type AnswerCitation = z.input<typeof answerCitationSchema>;
/** A quote with its place. */
export type Reference = z.input<typeof referenceSchema>;
