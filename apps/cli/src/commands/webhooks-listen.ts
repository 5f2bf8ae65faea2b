import { AppError, isUrl, sleep } from "@quarry/base";
import {
  eventSchema,
  makeWebhookSecret,
  pageOf,
  signWebhook,
  WEBHOOK_EVENT_TYPES,
  type WebhookEventType,
} from "@quarry/contract";
import type { Command } from "commander";
import type { z } from "zod";
import { callApi, openReply, type ApiTarget } from "../api-client.ts";
import type { CliContext } from "../cli-context.ts";
import { openIo, type CommandIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { forwardDelivery } from "../forward-delivery.ts";
import { parseChoices } from "../option-values.ts";
import { paint } from "../paint.ts";
import { readEvents } from "../read-events.ts";

const STREAM_PATH = "/quarry/v1/events/stream";
/** The stream says something at least every 15 seconds. */
const SILENCE_LIMIT_MS = 60_000;
const REOPEN_WAIT_MS = 1_000;

type Event = z.output<typeof eventSchema>;

interface ListenOptions {
  readonly forward?: string;
  readonly events: readonly WebhookEventType[];
}

/** `quarry webhooks listen`: events as they happen, shown and sent on to a program under development. */
export function addListenCommand(webhooks: Command, context: CliContext): void {
  webhooks
    .command("listen")
    .description("show events as they happen, and forward them, signed, until Ctrl+C")
    .option("--forward <url>", "also post each to this address, as a webhook would get it")
    .option("--events <list>", "only these types (all)", parseChoices(WEBHOOK_EVENT_TYPES), [...WEBHOOK_EVENT_TYPES])
    .addHelpText(
      "after",
      "\nExamples:\n  quarry webhooks listen\n  quarry webhooks listen --forward http://127.0.0.1:3000/hook --events webset.idle",
    )
    .action(async (options: ListenOptions, command: Command) => {
      const io = openIo(context, command);
      const forward = options.forward === undefined ? undefined : parseAddress(options.forward);
      const target = await connectServer(context, io);
      const secret = makeWebhookSecret();
      if (forward !== undefined) io.say(`Forwarding to ${forward.href}, signed with ${secret}`);
      io.say("Listening; Ctrl+C ends it.");
      for await (const event of followEvents(context, target, options.events)) {
        const status = forward === undefined ? undefined : await send(forward, event, secret, context.signal);
        show(context, io, event, status);
      }
    });
}

/** Every event from now on; goes on after whatever interrupts the stream, without gap or repeat. */
async function* followEvents(context: CliContext, target: ApiTarget, types: readonly string[]): AsyncGenerator<Event> {
  const { signal } = context;
  const request = { method: "GET", path: "/quarry/v1/events", query: { limit: 1 } } as const;
  let last = (await callApi(target, request, pageOf(eventSchema), signal)).data[0]?.id;
  for (;;) {
    try {
      const query = { types: types.join(","), ...(last === undefined ? { from: "start" } : { after: last }) };
      const stream = { method: "GET", path: STREAM_PATH, query, timeoutMs: SILENCE_LIMIT_MS } as const;
      for await (const data of readEvents(await openReply(target, stream, signal), signal)) {
        const event = eventSchema.parse(JSON.parse(data));
        yield event;
        last = event.id;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError) || (error.code !== "unavailable" && error.code !== "timeout")) throw error;
    }
    await sleep(REOPEN_WAIT_MS, signal); // the server restarts, or the line is bad
  }
}

function send(forward: URL, event: Event, secret: string, signal: AbortSignal): Promise<number | string> {
  const { id, type, data, createdAt } = event;
  const body = JSON.stringify({ id, object: "event", type, data, createdAt });
  const headers = signWebhook({ eventId: id, at: new Date(), body, secrets: [secret] });
  return forwardDelivery(forward, { headers, body }, signal);
}

function show(context: CliContext, io: CommandIo, event: Event, status: number | string | undefined): void {
  const { stdout } = context;
  if (io.options.json === true) {
    stdout.stream.write(`${JSON.stringify(status === undefined ? event : { ...event, forwarded: status })}\n`);
    return;
  }
  const isTaken = typeof status === "number" && status >= 200 && status < 300;
  const answer = status === undefined ? "" : ` → ${paint(stdout, isTaken ? "green" : "red", String(status))}`;
  stdout.stream.write(`${event.createdAt}  ${event.type}  ${event.resource.id}  ${event.id}${answer}\n`);
}

function parseAddress(text: string): URL {
  const url = isUrl(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new AppError(
    "invalid_request",
    `--forward: ${text} is not an address; write it whole, as http://127.0.0.1:3000/`,
  );
}
