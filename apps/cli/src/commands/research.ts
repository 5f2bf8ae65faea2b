import { AppError } from "@quarry/base";
import { researchModels, researchSchema, stampedResearchEventSchema } from "@quarry/contract";
import { Option, type Command } from "commander";
import type { z } from "zod";
import { callApi, openReply, type ApiTarget } from "../api-client.ts";
import type { CliContext } from "../cli-context.ts";
import { openIo, type CommandIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { EXIT_CODES, type EndWith } from "../exit-code.ts";
import { readEvents } from "../read-events.ts";
import { readSchema } from "./answer.ts";

/** How long a run may have nothing new to tell. */
const SILENCE_LIMIT_MS = 10 * 60 * 1000;
const BEGIN_TIMEOUT_MS = 30_000;
const CANCEL_TIMEOUT_MS = 5_000;

/** `quarry research "…"`: a cited report, with what it does as it does it. */
export function addResearchCommand(program: Command, context: CliContext, endWith: EndWith): void {
  program
    .command("research")
    .description("look into a question in several steps and write a cited report, as Markdown")
    .argument("<instructions>", "what to find out")
    .addOption(new Option("--model <name>", "how much to read").choices([...researchModels]).default("exa-research"))
    .option("--schema <file>", "a JSON Schema: the result becomes an object of that shape")
    .addHelpText(
      "after",
      '\nExamples:\n  quarry research "compare merge and rebase" > report.md\n\nCtrl+C cancels the run.',
    )
    .action(
      async (instructions: string, options: { readonly model: string; readonly schema?: string }, command: Command) => {
        const io = openIo(context, command);
        const outputSchema = options.schema === undefined ? undefined : readSchema(context.cwd, options.schema);
        const target = await connectServer(context, io);
        context.signal.throwIfAborted();
        const body = { instructions, model: options.model, outputSchema };
        const begin = { method: "POST", path: "/research/v1", body } as const;
        // An interrupt is obeyed only once the run is known, so that none is left behind.
        const { researchId } = await callApi(target, begin, researchSchema, AbortSignal.timeout(BEGIN_TIMEOUT_MS));
        try {
          await follow(context, io, target, researchId);
        } catch (error) {
          if (context.signal.aborted) await cancel(target, researchId);
          throw error;
        } finally {
          io.sayInPlace("");
        }
        const read = { method: "GET", path: `/research/v1/${researchId}` } as const;
        const research = await callApi(target, read, researchSchema, context.signal);
        io.print(research, () => research.output?.content ?? "");
        if (research.status === "completed") return;
        io.warn(research.error ?? `the run is ${research.status}`);
        endWith(EXIT_CODES.error);
      },
    );
}

async function follow(context: CliContext, io: CommandIo, target: ApiTarget, id: string): Promise<void> {
  const request = {
    method: "GET",
    path: `/research/v1/${id}`,
    query: { stream: "true" },
    timeoutMs: SILENCE_LIMIT_MS,
  } as const;
  const reply = await openReply(target, request, context.signal);
  for await (const data of readEvents(reply, context.signal)) {
    const line = describe(stampedResearchEventSchema.parse(JSON.parse(data)));
    if (line !== undefined) io.say(line);
  }
}

function describe(event: z.output<typeof stampedResearchEventSchema>): string | undefined {
  switch (event.eventType) {
    case "plan-output":
      return event.output.outputType === "tasks"
        ? event.output.tasksInstructions.map((task) => `plan    ${task}`).join("\n")
        : undefined;
    case "task-definition":
      return `task    ${event.instructions}`;
    case "task-operation":
      if (event.data.type === "search") return `search  ${event.data.query} (${event.data.results.length} pages)`;
      return event.data.type === "crawl" ? `read    ${event.data.result.url}` : undefined;
    default:
      return undefined;
  }
}

/** With a time limit of its own: the interrupt has spent the command's signal. */
async function cancel(target: ApiTarget, id: string): Promise<void> {
  const request = { method: "POST", path: `/quarry/v1/research/${id}/cancel` } as const;
  const research = await callApi(target, request, researchSchema, AbortSignal.timeout(CANCEL_TIMEOUT_MS));
  if (research.status === "running") throw new AppError("conflict", `the run ${id} could not be cancelled`);
}
