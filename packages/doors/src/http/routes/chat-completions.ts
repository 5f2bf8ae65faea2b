import { AppError } from "@quarry/base";
import { chatCompletionSchema, chatCompletionsSchema, MAX_QUERY_CHARACTERS } from "@quarry/contract";
import type { AnswerSentence } from "@quarry/answer";
import { eventStreamReply } from "../reply.ts";
import { defineRoute, type Route } from "../route.ts";
import { startAnswer, textOf, type AnswerRoutesDeps, type RunningAnswer } from "./answer.ts";

/** `POST /chat/completions`: OpenAI's clients ask, the answer of the last message comes back with its citations. */
export function chatCompletionRoutes(deps: AnswerRoutesDeps): readonly Route[] {
  return [
    defineRoute({
      name: "createChatCompletion",
      method: "POST",
      path: "/chat/completions",
      tag: "Answer",
      summary: "Answer the last message, in OpenAI's form",
      access: "search",
      meter: "answer",
      body: chatCompletionsSchema,
      response: chatCompletionSchema,
      handle: async ({ body }, context) => {
        const question = body.messages.findLast(({ role }) => role === "user")?.content.trim() ?? "";
        if (question === "") {
          throw new AppError("invalid_request", "messages: expected a message of role user with text in it");
        }
        if (question.length > MAX_QUERY_CHARACTERS) {
          throw new AppError(
            "invalid_request",
            `messages: expected a last message of role user with at most ${MAX_QUERY_CHARACTERS} characters, received ${question.length}`,
          );
        }
        const system = body.messages.filter(({ role }) => role === "system" || role === "developer");
        const run = startAnswer(
          deps,
          {
            query: question,
            model: body.model === "exa" || body.model === "exa-research" ? "exa" : "exa-pro",
            text: body.text ?? body.extra_body?.text,
            systemPrompt: system.length === 0 ? undefined : system.map(({ content }) => content).join("\n"),
            outputSchema: undefined,
            userLocation: undefined,
            quarry: undefined,
          },
          context,
        );
        const head = { id: `chatcmpl-${context.requestId}`, created: Math.floor(Date.now() / 1000), model: body.model };
        if (body.stream === true) {
          return eventStreamReply(streamChunks(run, head), {
            errorFrame: ({ code, message }) =>
              `data: ${JSON.stringify({ error: { message, type: "server_error", code } })}\n\n`,
          });
        }
        const sentences: AnswerSentence[] = [];
        for await (const sentence of run.sentences()) sentences.push(sentence);
        const { tokens } = run.end();
        return {
          ...head,
          object: "chat.completion" as const,
          choices: [
            {
              index: 0 as const,
              message: { role: "assistant" as const, content: textOf(sentences), citations: [...run.citations()] },
              finish_reason: "stop" as const,
            },
          ],
          usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens },
        };
      },
    }),
  ];
}

async function* streamChunks(
  run: RunningAnswer,
  head: { readonly id: string; readonly created: number; readonly model: string },
): AsyncGenerator<string> {
  const chunk = (delta: object, finish: "stop" | null, more: object = {}): string =>
    `data: ${JSON.stringify({
      ...head,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...more,
    })}\n\n`;
  let count = 0;
  for await (const { text } of run.sentences()) {
    yield chunk(count === 0 ? { role: "assistant", content: text } : { content: ` ${text}` }, null);
    count += 1;
  }
  if (count === 0) yield chunk({ role: "assistant", content: textOf([]) }, null);
  const citations = run.citations();
  yield chunk({ citations }, "stop", { citations });
  yield "data: [DONE]\n\n";
}
