import { AppError, sleep } from "@quarry/base";
import { indexTaskSchema } from "@quarry/contract";
import type { Command } from "commander";
import type { z } from "zod";
import { callApi } from "../api-client.ts";
import type { CliContext, Output } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { EXIT_CODES } from "../exit-code.ts";
import type { EndWith } from "../exit-code.ts";
import { renderPairs } from "../table.ts";

type Task = z.output<typeof indexTaskSchema>;
type Report = NonNullable<Task["report"]>;

interface TaskCommand {
  readonly kind: Task["kind"];
  readonly description: string;
  readonly help: string;
  readonly doing: string;
  readonly render: (output: Output, report: Report) => string;
}

const COMMANDS: readonly TaskCommand[] = [
  {
    kind: "optimize",
    description: "compact the index and clean up behind it",
    help: "The server does so by itself in the background; this does all of it now.",
    doing: "Optimising the index…",
    render: (output, report) =>
      renderPairs(output, [
        ["Tables sealed", String(report["sealedTables"] ?? 0)],
        ["Tables merged", String(report["mergedTables"] ?? 0)],
        ["Tables dropped", String(report["droppedTables"] ?? 0)],
      ]),
  },
  {
    kind: "verify",
    description: "compare the index with the store and have every difference mended",
    help: "Exit code 6 when there were differences; they are queued, and mended within seconds.",
    doing: "Comparing index and store…",
    render: (output, report) =>
      renderPairs(output, [
        ["Documents", `${String(report["documents"] ?? 0)} (${String(report["waiting"] ?? 0)} on their way)`],
        ["Pages in the index", String(report["pages"] ?? 0)],
        ["Missing", String(report["missing"] ?? 0)],
        ["Outdated", String(report["outdated"] ?? 0)],
        ["Ahead of the store", String(report["ahead"] ?? 0)],
        ["Of deleted documents", String(report["orphaned"] ?? 0)],
        ["Without vectors", String(report["withoutVectors"] ?? 0)],
      ]),
  },
  {
    kind: "rebuild",
    description: "drop the index and fill it from the store",
    help: "Searches find what is there again meanwhile. Vectors are kept in the store and not computed anew.",
    doing: "Building the index anew…",
    render: (_output, report) => `Built anew: ${String(report["documents"] ?? 0)} documents are found by their words.`,
  },
];

const ASK_EVERY_MS = 250;

/** `quarry index optimize | verify | rebuild`: tasks for whichever process writes the index. */
export function addIndexTasks(index: Command, context: CliContext, endWith: EndWith): void {
  for (const { kind, description, help, doing, render } of COMMANDS) {
    index
      .command(kind)
      .description(description)
      .addHelpText("after", `\n${help}\n\nExamples:\n  quarry index ${kind}\n  quarry index ${kind} --json`)
      .action(async (_options: unknown, command: Command) => {
        const io = openIo(context, command);
        const target = await connectServer(context, io);
        const ask = (method: "GET" | "POST", path: string): Promise<Task> =>
          callApi(target, { method, path }, indexTaskSchema, context.signal);
        io.say(doing);
        let task = await ask("POST", `/quarry/v1/index/${kind}`);
        while (task.status === "queued" || task.status === "running") {
          await sleep(ASK_EVERY_MS, context.signal);
          task = await ask("GET", `/quarry/v1/index/tasks/${task.id}`);
        }
        if (task.status === "failed") throw new AppError("upstream_failed", task.error ?? `it could not ${kind}`);
        const report = task.report ?? {};
        io.print(task, (output) => render(output, report));
        if (kind === "verify" && report["differences"] !== 0) endWith(EXIT_CODES.partial);
      });
  }
}
