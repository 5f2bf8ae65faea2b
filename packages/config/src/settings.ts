import { z } from "zod";
import {
  hostSchema,
  httpUrlSchema,
  originSchema,
  placeSchema,
  portSchema,
  postgresUrlSchema,
  privateHostSchema,
  publicUrlSchema,
  secretSchema,
} from "./value-schemas.ts";

const countSchema = z.int().min(1).max(1_000_000);
const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

/** Every setting, as `quarry.config.json` writes it; the environment's texts are read into the same types. */
export const settingsSchema = z.strictObject({
  host: hostSchema.default("127.0.0.1").describe("Address the server listens on."),
  port: portSchema.default(7700).describe("Port the server listens on; 0 picks a free one."),
  dataDir: z.string().default(".quarry").describe("Directory of the embedded database, index and snapshots."),
  role: z.enum(["all", "api", "worker"]).default("all").describe("What this process does."),
  publicUrl: publicUrlSchema.optional().describe("Address under which others reach this server."),
  auth: z.enum(["key", "none"]).default("key").describe("Whether callers need a key; none only on loopback."),
  apiKey: secretSchema.optional().describe("Use this key instead of making one on the first start."),
  corsOrigins: z.array(originSchema).default([]).describe("Origins whose pages may call the API."),
  rateLimits: z.enum(["unlimited", "exa", "exa-2026-02"]).default("unlimited").describe("Rate limits per key."),
  prices: z.enum(["free", "exa"]).default("free").describe("Price list behind costDollars."),
  logLevel: z.enum(logLevels).default("info").describe("Least severe level that is logged."),
  sample: z.boolean().default(true).describe("Whether a first start fills the index with the sample pages."),
  databaseUrl: postgresUrlSchema.optional().describe("PostgreSQL to use instead of the embedded one."),
  indexUrl: placeSchema.optional().describe("Where the index lies; in the data directory when unset."),
  blobUrl: placeSchema
    .optional()
    .describe("Where snapshots, uploads and exports lie; in the data directory when unset."),
  llmUrl: httpUrlSchema.optional().describe("OpenAI-compatible chat endpoint."),
  llmKey: secretSchema.optional().describe("Key of the chat endpoint."),
  llmModel: z.string().optional().describe("Model asked of the chat endpoint."),
  embedUrl: httpUrlSchema.optional().describe("OpenAI-compatible embeddings endpoint; embedded models when unset."),
  embedKey: secretSchema.optional().describe("Key of the embeddings endpoint."),
  embedModel: z.string().optional().describe("Model asked of the embeddings endpoint."),
  allowPrivateHosts: z.array(privateHostSchema).default([]).describe("Private hosts the fetcher may reach."),
  browserPath: z
    .string()
    .optional()
    .describe("Chromium that shows pages to a crawl; looked for at usual places when unset."),
  retainVersions: countSchema.default(10).describe("Past versions of a document that are always kept."),
  retainVersionDays: countSchema.default(90).describe("Days for which further past versions are kept."),
  retainUsageDays: countSchema.default(400).describe("Days for which usage records are kept."),
  upstreamExaUrl: httpUrlSchema.optional().describe("Exa-compatible search asked beside our own index."),
  upstreamExaKey: secretSchema.optional().describe("Key of that search."),
  upstreamBraveUrl: httpUrlSchema.optional().describe("Brave-compatible search asked beside our own index."),
  upstreamBraveKey: secretSchema.optional().describe("Key of that search."),
  upstreamSearxngUrl: httpUrlSchema.optional().describe("SearXNG search asked beside our own index."),
  upstreamSearxngKey: secretSchema.optional().describe("Key of that search."),
  workspaceRoots: z.array(z.string()).default([]).describe("Directories the workspace tools may work in."),
  headless: z
    .enum(["deny", "approve"])
    .optional()
    .describe("Answers approvals at once, since no person can be asked; unset asks one."),
  mcpConfig: z
    .string()
    .optional()
    .describe("The mcp.json whose servers tools may ask; in the data directory when unset."),
  computerUse: z
    .enum(["off", "browser", "desktop"])
    .default("off")
    .describe("Whether sessions may have a screen of their own: a browser's page, or an Xvfb desktop."),
  imageUrl: httpUrlSchema.optional().describe("OpenAI-compatible images endpoint."),
  imageKey: secretSchema.optional().describe("Key of the images endpoint."),
  imageModel: z.string().optional().describe("Model asked of the images endpoint."),
  evalData: z.string().default("../shared/data").describe("Directory of the judged sets."),
  mcpConformance: z.boolean().default(false).describe("Offer the fixture tools of the MCP conformance runner."),
});

/** The values of all settings, checked and with defaults. */
export type ConfigValues = Readonly<z.output<typeof settingsSchema>>;

/** The camelCase name of one setting. */
export type SettingKey = keyof ConfigValues;

/** How a text of the environment is read, what a good value is, and whether it must be hidden. */
export interface SettingNotes {
  readonly form: "text" | "number" | "flag" | "list";
  readonly expects: string;
  readonly choices?: readonly string[];
  /** Hide it whole, or only the password in its address. Either way it may come from a file. */
  readonly secret?: "whole" | "password";
}

const aKey: SettingNotes = {
  form: "text",
  expects: "visible ASCII without spaces, at most 512 characters",
  secret: "whole",
};
const anEndpoint: SettingNotes = { form: "text", expects: "an absolute http:// or https:// address" };
const aPlace: SettingNotes = {
  form: "text",
  expects: "a directory, or an s3://, gs://, az://, db:// or http(s):// address",
};
const aDirectory: SettingNotes = { form: "text", expects: "a directory" };
const aModel: SettingNotes = { form: "text", expects: "the name of a model" };
const aCount: SettingNotes = { form: "number", expects: "a whole number from 1 to 1000000" };
const aFlag: SettingNotes = { form: "flag", expects: "1 or 0 (true or false)" };

/** What the loader knows of each setting beside its schema. */
export const settingNotes: Readonly<Record<SettingKey, SettingNotes>> = {
  host: { form: "text", expects: "an IP address or a host name, without scheme or port" },
  port: { form: "number", expects: "a whole number from 0 to 65535 (0 picks a free port)" },
  dataDir: aDirectory,
  role: oneOf(settingsSchema.shape.role.unwrap().options),
  publicUrl: {
    form: "text",
    expects: "an absolute http:// or https:// address without credentials, query or fragment",
  },
  auth: oneOf(settingsSchema.shape.auth.unwrap().options),
  apiKey: aKey,
  corsOrigins: { form: "list", expects: "a comma list of origins such as https://app.example.com, or *" },
  rateLimits: oneOf(settingsSchema.shape.rateLimits.unwrap().options),
  prices: oneOf(settingsSchema.shape.prices.unwrap().options),
  logLevel: oneOf(logLevels),
  sample: aFlag,
  databaseUrl: {
    form: "text",
    expects: "a PostgreSQL address such as postgresql://user:password@host:5432/database",
    secret: "password",
  },
  indexUrl: aPlace,
  blobUrl: aPlace,
  llmUrl: anEndpoint,
  llmKey: aKey,
  llmModel: aModel,
  embedUrl: anEndpoint,
  embedKey: aKey,
  embedModel: aModel,
  allowPrivateHosts: {
    form: "list",
    expects: "a comma list of host names, IP addresses or CIDR ranges such as 10.0.0.0/8, without scheme or port",
  },
  browserPath: { form: "text", expects: "the path of a Chromium, Chrome or Edge program" },
  retainVersions: aCount,
  retainVersionDays: aCount,
  retainUsageDays: aCount,
  upstreamExaUrl: anEndpoint,
  upstreamExaKey: aKey,
  upstreamBraveUrl: anEndpoint,
  upstreamBraveKey: aKey,
  upstreamSearxngUrl: anEndpoint,
  upstreamSearxngKey: aKey,
  workspaceRoots: { form: "list", expects: "a comma list of directories" },
  headless: oneOf(settingsSchema.shape.headless.unwrap().options),
  mcpConfig: { form: "text", expects: "the path of an mcp.json" },
  computerUse: oneOf(settingsSchema.shape.computerUse.unwrap().options),
  imageUrl: anEndpoint,
  imageKey: aKey,
  imageModel: aModel,
  evalData: aDirectory,
  mcpConformance: aFlag,
};

/** All settings in the order in which people are shown them. */
export const settingKeys = Object.keys(settingsSchema.shape) as readonly SettingKey[];

/** The environment's name of a setting: `llmUrl` is `QUARRY_LLM_URL`. */
export function toEnvironmentName(key: string): string {
  return `QUARRY_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

function oneOf(choices: readonly string[]): SettingNotes {
  return { form: "text", expects: `one of ${choices.join(", ")}`, choices };
}
