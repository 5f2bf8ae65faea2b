import { z } from "zod";
import { absentable } from "./values.ts";

const contentSchema = z.union([
  z.string(),
  z
    .array(z.looseObject({ type: z.string(), text: z.string().optional() }))
    .transform((parts) => parts.flatMap(({ text }) => text ?? []).join("\n")),
]);

/** `POST /responses`, in OpenAI's form. */
export const responseRequestSchema = z
  .object({
    model: absentable(z.enum(["exa-agent", "agent", "exa-research", "exa-research-fast", "exa-research-pro"])).describe(
      "exa-agent unless told; the research models say how much to read.",
    ),
    input: z
      .union([z.string(), z.array(z.looseObject({ role: z.string().optional(), content: contentSchema }))])
      .describe("A question, or messages of which the last of role user asks it."),
    instructions: absentable(z.string().max(20_000)).describe(
      "Instructions for the language model, when there is one.",
    ),
    reasoning: absentable(
      z.looseObject({ effort: absentable(z.enum(["none", "minimal", "low", "medium", "high", "xhigh"])) }),
    ),
    text: absentable(
      z.looseObject({
        format: absentable(z.looseObject({ type: z.string(), schema: absentable(z.record(z.string(), z.unknown())) })),
      }),
    ).describe("format json_schema asks for an object of that schema."),
    stream: absentable(z.boolean()).describe("Answer as server-sent events."),
    background: absentable(z.boolean()).describe("Answer at once; read the response later by its id."),
    previous_response_id: absentable(z.string().min(1)).describe("A completed response that this one goes on from."),
    metadata: absentable(z.record(z.string(), z.string())),
  })
  .meta({ id: "ResponseRequest" });

const annotationSchema = z.object({
  type: z.literal("url_citation"),
  url: z.string(),
  title: z.string(),
  start_index: z.int(),
  end_index: z.int(),
});

/** A response, in OpenAI's form. */
export const responseSchema = z
  .object({
    id: z.string(),
    object: z.literal("response"),
    created_at: z.int(),
    status: z.enum(["queued", "in_progress", "completed", "failed", "cancelled"]),
    background: z.boolean(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    incomplete_details: z.null(),
    instructions: z.string().nullable(),
    model: z.string(),
    output: z.array(
      z.object({
        id: z.string(),
        type: z.literal("message"),
        role: z.literal("assistant"),
        status: z.literal("completed"),
        content: z.array(
          z.object({ type: z.literal("output_text"), text: z.string(), annotations: z.array(annotationSchema) }),
        ),
      }),
    ),
    output_text: z.string(),
    previous_response_id: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    usage: z.object({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() }).nullable(),
  })
  .meta({ id: "Response" });

/** A request for a response. */
export type ResponseRequest = z.output<typeof responseRequestSchema>;
/** A response as the wire shows it. */
export type ResponseWire = z.input<typeof responseSchema>;
