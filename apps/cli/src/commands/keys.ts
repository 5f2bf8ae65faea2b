import { AppError } from "@quarry/base";
import { apiKeySchema, apiKeyWithSecretSchema, MAX_ROTATION_GRACE_SECONDS, pageOf, scopeNames } from "@quarry/contract";
import type { ApiKeyReply, Scope } from "@quarry/contract";
import type { Command } from "commander";
import { callApi } from "../api-client.ts";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { EXIT_CODES } from "../exit-code.ts";
import type { EndWith } from "../exit-code.ts";
import { listAll } from "../list-all.ts";
import { NONE, orNone, parseChoices, parseInstant, parseInteger, parseNumber } from "../option-values.ts";
import { callServer, pathOf } from "../resource-commands.ts";
import { printSecret, renderKey, renderKeys } from "./render-key.ts";

const PATH = "/quarry/v1/keys";
const PAGE_SIZE = 100;

/** `quarry keys …`: the team's API keys. */
export function addKeysCommand(program: Command, context: CliContext, endWith: EndWith): void {
  const keys = program.command("keys").description("manage API keys");
  addList(keys, context);
  addCreate(keys, context);
  addShow(keys, context);
  addUpdate(keys, context);
  addRotate(keys, context);
  addRevoke(keys, context, endWith);
}

/** What a key may carry; in an update `none` takes the limit away. */
interface KeyOptions {
  readonly name?: string;
  readonly scopes?: readonly Scope[];
  readonly expires?: string;
  readonly budget?: number | typeof NONE;
  readonly rateLimit?: number | typeof NONE;
}

function addList(keys: Command, context: CliContext): void {
  keys
    .command("list")
    .alias("ls")
    .description("list the team's keys; secrets are never shown")
    .addHelpText("after", "\nExamples:\n  quarry keys list\n  quarry keys list --json | jq -r '.data[].id'")
    .action(async (_options: unknown, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const data = await listAll(target, { path: PATH, pageSize: PAGE_SIZE }, pageOf(apiKeySchema), context.signal);
      io.print({ data }, (output) => renderKeys(output, data));
    });
}

function addCreate(keys: Command, context: CliContext): void {
  keys
    .command("create")
    .description("make a key; its secret is shown this once")
    .argument("<name>", "what the key is for")
    .option("--scopes <list>", `what it may do: ${scopeNames.join(", ")}`, parseChoices(scopeNames))
    .option("--expires <date>", "when it stops working", parseInstant)
    .option("--budget <dollars>", "how much it may spend in all", parseNumber(0))
    .option("--rate-limit <number>", "most requests per second", parseNumber(0))
    .addHelpText("after", '\nExamples:\n  quarry keys create "my agent" --scopes search --budget 5')
    .action(async (name: string, options: KeyOptions, command: Command) => {
      const io = openIo(context, command);
      const body = { ...toBody(options), name };
      const key = await callServer(context, io, { method: "POST", path: PATH, body }, apiKeyWithSecretSchema);
      printSecret(io, key);
    });
}

function addShow(keys: Command, context: CliContext): void {
  keys
    .command("show")
    .description("show one key")
    .argument("<id>", "the key's id")
    .addHelpText("after", "\nExamples:\n  quarry keys show apikey_01…")
    .action(async (id: string, _options: unknown, command: Command) => {
      const io = openIo(context, command);
      const key = await callServer(context, io, { method: "GET", path: pathOf(PATH, id) }, apiKeySchema);
      io.print(key, (output) => renderKey(output, key));
    });
}

function addUpdate(keys: Command, context: CliContext): void {
  keys
    .command("update")
    .description("change a key's name, scopes or limits")
    .argument("<id>", "the key's id")
    .option("--name <name>", "what the key is for")
    .option("--scopes <list>", "what it may do", parseChoices(scopeNames))
    .option("--expires <date>", "when it stops working, or none", orNone(parseInstant))
    .option("--budget <dollars>", "how much it may spend in all, or none", orNone(parseNumber(0)))
    .option("--rate-limit <number>", "most requests per second, or none", orNone(parseNumber(0)))
    .addHelpText(
      "after",
      "\nExamples:\n  quarry keys update apikey_01… --budget 20\n  quarry keys update apikey_01… --expires none",
    )
    .action(async (id: string, options: KeyOptions, command: Command) => {
      const io = openIo(context, command);
      const body = toBody(options);
      if (Object.keys(body).length === 0) {
        throw new AppError(
          "invalid_request",
          "nothing to change; pass --name, --scopes, --expires, --budget or --rate-limit",
        );
      }
      const key = await callServer(context, io, { method: "PATCH", path: pathOf(PATH, id), body }, apiKeySchema);
      io.print(key, (output) => renderKey(output, key));
    });
}

function addRotate(keys: Command, context: CliContext): void {
  keys
    .command("rotate")
    .description("give a key a new secret; it is shown this once")
    .argument("<id>", "the key's id")
    .option(
      "--grace <seconds>",
      "how long the old secret goes on working; 0, the default, ends it at once",
      parseInteger(0, MAX_ROTATION_GRACE_SECONDS),
    )
    .addHelpText("after", "\nExamples:\n  quarry keys rotate apikey_01… --grace 3600")
    .action(async (id: string, options: { readonly grace?: number }, command: Command) => {
      const io = openIo(context, command);
      const body = options.grace === undefined ? {} : { graceSeconds: options.grace };
      const request = { method: "POST", path: pathOf(PATH, id, "rotate"), body } as const;
      printSecret(io, await callServer(context, io, request, apiKeyWithSecretSchema));
    });
}

function addRevoke(keys: Command, context: CliContext, endWith: EndWith): void {
  keys
    .command("revoke")
    .description("end keys at once and for good; exit code 6 when only some could be")
    .argument("<ids...>", "the keys' ids")
    .addHelpText("after", "\nExamples:\n  quarry keys revoke apikey_01… apikey_02…")
    .action(async (ids: readonly string[], _options: unknown, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const data: ApiKeyReply[] = [];
      const failed: { readonly id: string; readonly error: AppError }[] = [];
      for (const id of ids) {
        try {
          data.push(await callApi(target, { method: "DELETE", path: pathOf(PATH, id) }, apiKeySchema, context.signal));
        } catch (error) {
          context.signal.throwIfAborted();
          failed.push({ id, error: AppError.from(error) });
        }
      }
      const [first] = failed;
      if (first !== undefined && data.length === 0) throw first.error;
      const failures = failed.map(({ id, error }) => ({ id, code: error.code, message: error.message }));
      io.print({ data, failed: failures }, (output) => renderKeys(output, data));
      for (const { id, message } of failures) io.warn(`${id}: ${message}`);
      if (first !== undefined) endWith(EXIT_CODES.partial);
    });
}

function toBody(options: KeyOptions): Readonly<Record<string, unknown>> {
  const body = {
    name: options.name,
    scopes: options.scopes,
    expiresAt: nullForNone(options.expires),
    budgetDollars: nullForNone(options.budget),
    rateLimitPerSecond: nullForNone(options.rateLimit),
  };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

function nullForNone(value: string | number | undefined): string | number | null | undefined {
  return value === NONE ? null : value;
}
