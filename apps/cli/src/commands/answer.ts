import { readFileSync } from "node:fs";
import path from "node:path";
import { AppError } from "@quarry/base";
import { answerReplySchema, answerStreamFrameSchema } from "@quarry/contract";
import type { Command } from "commander";
import type { z } from "zod";
import { callApi, openReply, type ApiTarget } from "../api-client.ts";
import type { CliContext, Output } from "../cli-context.ts";
import { openIo, type CommandIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { paint } from "../paint.ts";
import { readEvents } from "../read-events.ts";

/** A language model on a small machine takes its time. */
const ANSWER_TIMEOUT_MS = 5 * 60 * 1000;

/** `quarry answer "…"`: an answer from the index, sentence by sentence as it comes, with the pages it rests on. */
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
        const body = { query: question, model: options.pro === true ? "exa-pro" : "exa", outputSchema };
        io.sayInPlace("Reading…");
        const isWhole = io.options.json === true || outputSchema !== undefined;
        await (isWhole ? answerWhole(context, io, target, body) : answerLive(context, io, target, body));
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

async function answerWhole(context: CliContext, io: CommandIo, target: ApiTarget, body: object): Promise<void> {
  const request = { method: "POST", path: "/answer", body, timeoutMs: ANSWER_TIMEOUT_MS } as const;
  const reply = await callApi(target, request, answerReplySchema, context.signal).finally(() => io.sayInPlace(""));
  io.print(reply, (output) => {
    const text =
      typeof reply.answer === "string" ? withoutControls(reply.answer) : JSON.stringify(reply.answer, null, 2);
    return [text, ...sourcesOf(output, reply.citations)].join("\n");
  });
  for (const { message } of reply.quarry.warnings) io.warn(message);
}

/** Writes each sentence as it comes, with the numbers of the pages it rests on, and the pages at the end. */
async function answerLive(context: CliContext, io: CommandIo, target: ApiTarget, body: object): Promise<void> {
  const asked = { ...body, stream: true, quarry: { evidence: true } };
  const request = { method: "POST", path: "/answer", body: asked, timeoutMs: ANSWER_TIMEOUT_MS } as const;
  const reply = await openReply(target, request, context.signal).finally(() => io.sayInPlace(""));
  const { stdout } = context;
  const urls: string[] = [];
  let isWhole = false;
  for await (const data of readEvents(reply, context.signal)) {
    if (data === "[DONE]") continue;
    const frame = answerStreamFrameSchema.parse(JSON.parse(data));
    if (frame.payload !== undefined) throw new AppError("upstream_failed", frame.payload.error.message);
    const content = frame.choices?.[0]?.delta.content ?? "";
    if (content !== "") {
      const cited = [...new Set((frame.quarry?.references ?? []).map(({ url }) => url))];
      for (const url of cited) if (!urls.includes(url)) urls.push(url);
      const marks = cited.map((url) => `[${urls.indexOf(url) + 1}]`).join("");
      const shown = withoutControls(content);
      stdout.stream.write(marks === "" ? shown : `${shown} ${paint(stdout, "dim", marks)}`);
    }
    if (frame.citations !== undefined) {
      const pages = new Map(frame.citations.map((citation) => [citation.url, citation]));
      const ordered = urls.flatMap((url) => pages.get(url) ?? []);
      stdout.stream.write(`${["", ...sourcesOf(stdout, ordered)].join("\n")}\n`);
    }
    if (frame.requestId !== undefined) isWhole = true;
    for (const { message } of frame.quarry?.warnings ?? []) io.warn(message);
  }
  if (!isWhole) throw new AppError("upstream_failed", "the answer broke off: ask again", { retryable: true });
}

function sourcesOf(
  output: Output,
  citations: readonly Pick<z.output<typeof answerReplySchema>["citations"][number], "title" | "url">[],
): readonly string[] {
  const sources = citations.map(
    ({ title, url }, index) =>
      `${paint(output, "dim", `[${index + 1}]`)} ${withoutControls(title)}\n    ${paint(output, "dim", url)}`,
  );
  return sources.length === 0 ? [] : ["", ...sources];
}

/** What a page says cannot steer the terminal. */
function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, " ");
}
