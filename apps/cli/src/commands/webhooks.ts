import {
  pageOf,
  replayedSchema,
  rotatedWebhookSchema,
  WEBHOOK_EVENT_TYPES,
  webhookAttemptSchema,
  webhookSchema,
  type WebhookEventType,
} from "@quarry/contract";
import type { Command } from "commander";
import type { z } from "zod";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { EXIT_CODES, type EndWith } from "../exit-code.ts";
import { parseChoices, parseInstant } from "../option-values.ts";
import { addDeleteCommand, callServer, pathOf, showList } from "../resource-commands.ts";
import { renderTable, type Column } from "../table.ts";
import { addListenCommand } from "./webhooks-listen.ts";

const PATH = "/websets/v0/webhooks";
const TOOLS_PATH = "/quarry/v1/webhooks";
const SHOWN_ATTEMPTS = 200;

type Webhook = z.output<typeof webhookSchema>;
type Attempt = z.output<typeof webhookAttemptSchema>;

/** `quarry webhooks …`: where events are sent, and how that went. */
export function addWebhooksCommand(program: Command, context: CliContext, endWith: EndWith): void {
  const webhooks = program.command("webhooks").description("manage where events are sent, and try it out");
  addList(webhooks, context);
  addCreate(webhooks, context);
  addDeleteCommand(webhooks, context, {
    description: "send no more events there",
    argument: ["id", "the webhook"],
    path: PATH,
    schema: webhookSchema,
    example: "quarry webhooks delete webhook_01…",
  });
  addAttempts(webhooks, context);
  addReplay(webhooks, context);
  addTest(webhooks, context, endWith);
  addRotate(webhooks, context);
  addListenCommand(webhooks, context);
}

function addList(webhooks: Command, context: CliContext): void {
  webhooks
    .command("list", { isDefault: true })
    .alias("ls")
    .description("list the webhooks")
    .addHelpText("after", "\nExamples:\n  quarry webhooks list\n  quarry webhooks list --json | jq -r '.data[].id'")
    .action(async (_options: unknown, command: Command) => {
      const io = openIo(context, command);
      const columns: readonly Column<Webhook>[] = [
        { heading: "ID", text: ({ id }) => id },
        { heading: "STATUS", text: ({ status }) => status },
        { heading: "URL", text: ({ url }) => url },
        { heading: "EVENTS", text: ({ events }) => events.join(",") },
      ];
      await showList(context, io, { path: PATH, schema: webhookSchema, columns });
    });
}

function addCreate(webhooks: Command, context: CliContext): void {
  webhooks
    .command("create")
    .description("have events sent to a URL; the secret that signs them is shown this once")
    .argument("<url>", "where to send them")
    .requiredOption("--events <list>", `which: ${WEBHOOK_EVENT_TYPES.join(", ")}`, parseChoices(WEBHOOK_EVENT_TYPES))
    .addHelpText(
      "after",
      "\nExamples:\n  quarry webhooks create https://example.com/hook --events webset.idle,webset.item.created",
    )
    .action(async (url: string, options: { readonly events: readonly WebhookEventType[] }, command: Command) => {
      const io = openIo(context, command);
      const body = { url, events: options.events };
      const webhook = await callServer(context, io, { method: "POST", path: PATH, body }, webhookSchema);
      io.print(webhook, () => `${webhook.id}\nsecret ${webhook.secret ?? ""}`);
      io.say("The secret is not shown again.");
    });
}

function addAttempts(webhooks: Command, context: CliContext): void {
  webhooks
    .command("attempts")
    .description("list what became of deliveries, newest first")
    .argument("<id>", "the webhook")
    .option("--failed", "only those that failed")
    .addHelpText(
      "after",
      "\nExamples:\n  quarry webhooks attempts webhook_01…\n  quarry webhooks attempts webhook_01… --failed",
    )
    .action(async (id: string, options: { readonly failed?: boolean }, command: Command) => {
      const io = openIo(context, command);
      const path = pathOf(PATH, id, "attempts");
      const query = { limit: SHOWN_ATTEMPTS, ...(options.failed === true ? { successful: "false" } : {}) };
      const page = await callServer(context, io, { method: "GET", path, query }, pageOf(webhookAttemptSchema));
      const columns: readonly Column<Attempt>[] = [
        { heading: "AT", text: ({ attemptedAt }) => attemptedAt },
        { heading: "EVENT", text: ({ eventType }) => eventType },
        { heading: "ID", text: ({ eventId }) => eventId },
        { heading: "TRY", text: ({ attempt }) => String(attempt), align: "right" },
        { heading: "STATUS", text: ({ responseStatusCode }) => String(responseStatusCode), align: "right" },
        { heading: "ANSWER", text: ({ responseBody }) => oneLine(responseBody ?? "") },
      ];
      io.print(page, (output) =>
        page.data.length === 0 ? "There are none." : renderTable(output, columns, page.data),
      );
    });
}

function addReplay(webhooks: Command, context: CliContext): void {
  webhooks
    .command("replay")
    .description("send events again: those given up, unless told which")
    .argument("<id>", "the webhook")
    .argument("[events...]", "ids of events")
    .option("--since <date>", "every event that the webhook wants, from this instant on", parseInstant)
    .addHelpText(
      "after",
      "\nExamples:\n  quarry webhooks replay webhook_01…\n  quarry webhooks replay webhook_01… --since 2030-01-01",
    )
    .action(async (id: string, events: readonly string[], options: { readonly since?: string }, command: Command) => {
      const io = openIo(context, command);
      const path = pathOf(TOOLS_PATH, id, "replay");
      const body = {
        ...(options.since === undefined ? {} : { since: options.since }),
        ...(events.length === 0 ? {} : { eventIds: events }),
        ...(options.since === undefined && events.length === 0 ? { dead: true } : {}),
      };
      const { queued } = await callServer(context, io, { method: "POST", path, body }, replayedSchema);
      io.print({ queued }, () => `Queued ${queued} ${queued === 1 ? "event" : "events"}.`);
    });
}

function addTest(webhooks: Command, context: CliContext, endWith: EndWith): void {
  webhooks
    .command("test")
    .description("send a made-up event now, and show the answer")
    .argument("<id>", "the webhook")
    .option("--type <type>", "its type (the first that the webhook wants)")
    .addHelpText("after", "\nExamples:\n  quarry webhooks test webhook_01… --type webset.idle")
    .action(async (id: string, options: { readonly type?: string }, command: Command) => {
      const io = openIo(context, command);
      const path = pathOf(TOOLS_PATH, id, "test");
      const body = options.type === undefined ? {} : { type: options.type };
      const attempt = await callServer(context, io, { method: "POST", path, body }, webhookAttemptSchema);
      const { successful, responseStatusCode: status, responseBody } = attempt;
      io.print(attempt, () =>
        [`${successful ? "taken" : "not taken"}: status ${status}`, oneLine(responseBody ?? "")].join("\n").trim(),
      );
      if (!successful) endWith(EXIT_CODES.error);
    });
}

function addRotate(webhooks: Command, context: CliContext): void {
  webhooks
    .command("rotate")
    .description("make a new secret; for a day the old one signs beside it")
    .argument("<id>", "the webhook")
    .addHelpText("after", "\nExamples:\n  quarry webhooks rotate webhook_01…")
    .action(async (id: string, _options: unknown, command: Command) => {
      const io = openIo(context, command);
      const path = pathOf(TOOLS_PATH, id, "rotate");
      const webhook = await callServer(context, io, { method: "POST", path, body: {} }, rotatedWebhookSchema);
      io.print(webhook, () => `secret ${webhook.secret ?? ""}`);
      io.say(`The old one signs until ${webhook.previousSecretValidUntil}.`);
    });
}

const SHOWN_CHARACTERS = 80;

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line;
}
