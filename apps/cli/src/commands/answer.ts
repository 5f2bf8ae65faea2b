import { readFileSync } from "node:fs";
import path from "node:path";
import { AppError } from "@quarry/base";
import { answerReplySchema } from "@quarry/contract";
import type { Command } from "commander";
import { callApi } from "../api-client.ts";
import type { CliContext, Output } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { paint } from "../paint.ts";

/** A language model on a small machine takes its time. */
const ANSWER_TIMEOUT_MS = 5 * 60 * 1000;

/** `quarry answer "…"`: an answer from the index, with the pages it rests on. */
export function addAnswerCommand(program: Command, context: CliContext): void {
  program
    .command("answer")
    .description("answer a question from the index, with citations")
    .argument("<question>", "the question")
    .option("--pro", "read more pages")
    .option("--schema <file>", "a JSON Schema: the answer becomes an object of that shape")
    .addHelpText(
      "after",
      '\nExamples:\n  quarry answer "how do I undo a commit?"\n  quarry answer "…" --json | jq .citations',
    )
    .action(
      async (question: string, options: { readonly pro?: boolean; readonly schema?: string }, command: Command) => {
        const io = openIo(context, command);
        const outputSchema = options.schema === undefined ? undefined : readSchema(context.cwd, options.schema);
        const target = await connectServer(context, io);
        io.sayInPlace("Reading…");
        const body = { query: question, model: options.pro === true ? "exa-pro" : "exa", outputSchema };
        const request = { method: "POST", path: "/answer", body, timeoutMs: ANSWER_TIMEOUT_MS } as const;
        const reply = await callApi(target, request, answerReplySchema, context.signal).finally(() =>
          io.sayInPlace(""),
        );
        io.print(reply, (output) => render(output, reply));
        for (const { message } of reply.quarry.warnings) io.warn(message);
      },
    );
}

/** A JSON Schema from a file; throws `invalid_request` that says what is wrong with it. */
export function readSchema(cwd: string, file: string): unknown {
  try {
    return JSON.parse(readFileSync(path.resolve(cwd, file), "utf8"));
  } catch (cause) {
    throw new AppError("invalid_request", `--schema ${file} cannot be read as JSON: name a file with a JSON Schema`, {
      cause,
    });
  }
}

function render(output: Output, reply: ReturnType<typeof answerReplySchema.parse>): string {
  const text = typeof reply.answer === "string" ? reply.answer : JSON.stringify(reply.answer, null, 2);
  const sources = reply.citations.map(
    ({ title, url }, index) => `${paint(output, "dim", `[${index + 1}]`)} ${title}\n    ${paint(output, "dim", url)}`,
  );
  return [text, ...(sources.length === 0 ? [] : ["", ...sources])].join("\n");
}
