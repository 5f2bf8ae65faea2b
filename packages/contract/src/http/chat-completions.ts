import { z } from "zod";
import { answerCitationSchema } from "./answer.ts";
import { absentable } from "./values.ts";

const contentSchema = z.union([
  z.string(),
  z
    .array(z.object({ type: z.string(), text: z.string().optional() }))
    .transform((parts) => parts.map(({ text }) => text ?? "").join("\n")),
]);

/** `POST /chat/completions`, as OpenAI's clients send it. What is not listed is passed over. */
export const chatCompletionsSchema = z
  .object({
    model: z.enum(["exa", "exa-pro", "exa-research", "exa-research-pro"]),
    messages: z
      .array(z.object({ role: z.enum(["system", "developer", "user", "assistant", "tool"]), content: contentSchema }))
      .min(1)
      .max(200),
    stream: absentable(z.boolean()),
    text: absentable(z.boolean()).describe("Put the full text of each page into its citation."),
    extra_body: absentable(z.object({ text: absentable(z.boolean()) })),
  })
  .meta({ id: "ChatCompletionRequest" });

/** Reply of `POST /chat/completions`. */
export const chatCompletionSchema = z
  .object({
    id: z.string(),
    object: z.literal("chat.completion"),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.literal(0),
        message: z.object({
          role: z.literal("assistant"),
          content: z.string(),
          citations: z.array(answerCitationSchema),
        }),
        finish_reason: z.literal("stop"),
      }),
    ),
    usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }),
  })
  .meta({ id: "ChatCompletion" });
