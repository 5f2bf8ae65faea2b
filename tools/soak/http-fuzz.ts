import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { errorSchemas } from "@quarry/contract";
import { startLightEmbedder } from "../light-embedder.ts";
import { startServerProcess, type ServerProcess } from "../server-process.ts";
import { generateValue, type Generation } from "./generate-value.ts";
import type { Random } from "./random.ts";
import type { Soak } from "./soak.ts";

const REQUESTS = 100_000;
const CLIENTS = 8;
const HANG_MS = 60_000;
const MAX_VIOLATIONS = 20;
/** Ids that replies named, kept to be asked about. */
const MAX_KNOWN_IDS = 500;
/** Not asked: they copy everything, end the session or the key, or reach out to whatever address they are given. */
const LEFT_OUT = [
  "/quarry/v1/backup",
  "/quarry/v1/sign-out",
  "/quarry/v1/keys/",
  "/team-management/",
  "/quarry/v1/model",
  "/quarry/v1/index/rebuild",
];

const DOCUMENTS = Array.from({ length: 20 }, (_, index) => ({
  url: `https://a.example/page-${index}`,
  title: `Page ${index} about owls`,
  text: `This page tells of owls that hunt at night. It is number ${index}.`,
}));

type Schema = Readonly<Record<string, unknown>>;

/** One operation of the API page. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly body: Schema | undefined;
  /** Whether it answers without a key. */
  readonly isOpen: boolean;
  /** The scope it asks for; undefined when any key will do. */
  readonly scope: string | undefined;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Generation["components"] };
}

interface Described {
  readonly description?: string;
  readonly security?: readonly unknown[];
  readonly parameters?: Operation["parameters"];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
}

/** The operations that a server's API page names, and the shapes they use. */
export async function readOperations(
  server: ServerProcess,
): Promise<{ readonly operations: readonly Operation[]; readonly components: Generation["components"] }> {
  const openApi = (await server.call("GET", "/openapi.json")).body as OpenApi;
  const operations = Object.entries(openApi.paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      method: method.toUpperCase(),
      path: route,
      parameters: described.parameters ?? [],
      body: described.requestBody?.content["application/json"]?.schema,
      isOpen: described.security?.length === 0,
      scope: /Needs the scope `(\w+)`/.exec(described.description ?? "")?.[1],
    })),
  );
  return { operations, components: openApi.components.schemas };
}

/**
 * 100,000 requests made from the API page, right and wrong, over every operation: each is answered in time, none by a
 * failure of the server's own, and no answer tells how the server is built.
 */
export const httpFuzzSoak: Soak = {
  name: "http-fuzz",
  run: async ({ random, size, report }) => {
    const total = Math.max(1, Math.ceil(REQUESTS * size));
    const directory = mkdtempSync(path.join(tmpdir(), "quarry-http-fuzz-"));
    const violations: string[] = [];
    const statuses = new Map<number, number>();
    const known = ["missing", "\u0000", "..", "x".repeat(300)];
    const embedder = await startLightEmbedder();
    try {
      const server = await startServerProcess(directory, { QUARRY_LOG_LEVEL: "error", ...embedder.settings });
      await server.call("POST", "/quarry/v1/documents?wait=true", DOCUMENTS);
      const { operations, components } = await readOperations(server);
      const asked = operations.filter(({ path: route }) => !LEFT_OUT.some((prefix) => route.startsWith(prefix)));
      const urls = ["https://a.example/page-1", "http://127.0.0.1:9/", "not a url", "ftp://x.y/", "", "\u0000"];
      const generation = { random, components, urls };
      let sent = 0;
      const client = async (): Promise<void> => {
        while (sent < total && violations.length < MAX_VIOLATIONS) {
          sent += 1;
          const request = makeRequest(generation, random.pick(asked), known);
          const { status, text, wrong } = await ask(server, request);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (wrong !== undefined) {
            violations.push(`${wrong}: ${request.method} ${request.address} ${request.body?.slice(0, 400) ?? ""}`);
          }
          if (status < 300) rememberIds(known, text);
          if (sent % 5_000 === 0) report(`${sent} of ${total}`);
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      const { status } = await server.call("POST", "/search", { query: "owls" });
      if (status !== 200) violations.push(`afterwards a search is answered with ${status}`);
      await server.stop();
    } finally {
      await embedder.close();
      rmSync(directory, { recursive: true, force: true });
    }
    const counts = Object.fromEntries([...statuses].map(([status, count]) => [`status ${status}`, count]));
    return { figures: { requests: total, ...counts }, violations };
  },
};

interface Request {
  readonly method: string;
  readonly address: string;
  readonly body: string | undefined;
}

function makeRequest(generation: Generation, operation: Operation, known: readonly string[]): Request {
  const { random } = generation;
  const inPlace = (place: string): Operation["parameters"] => operation.parameters.filter((one) => one.in === place);
  let address = operation.path;
  for (const { name } of inPlace("path")) {
    address = address.replace(`{${name}}`, () => encodeURIComponent(random.pick(known)));
  }
  const query = inPlace("query")
    .filter(() => random.chance(0.4))
    .map(({ name, schema }) => {
      const value = generateValue(generation, schema, name);
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return `${encodeURIComponent(name)}=${encodeURIComponent(text.slice(0, 1_000).toWellFormed())}`;
    });
  return {
    method: operation.method,
    address: query.length === 0 ? address : `${address}?${query.join("&")}`,
    body: operation.body === undefined ? undefined : makeBody(generation, operation.body, random),
  };
}

function makeBody(generation: Generation, schema: Schema, random: Random): string {
  const text = JSON.stringify(generateValue(generation, schema));
  return random.chance(0.02) ? text.slice(0, Math.floor(text.length / 2)) : text;
}

async function ask(
  server: ServerProcess,
  { method, address, body }: Request,
): Promise<{ readonly status: number; readonly text: string; readonly wrong: string | undefined }> {
  try {
    const response = await fetch(`${server.url}${address}`, {
      method,
      headers: { "x-api-key": server.key, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body }),
      redirect: "manual",
      signal: AbortSignal.timeout(HANG_MS),
    });
    if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
      await response.body?.cancel(); // it may never end
      return { status: response.status, text: "", wrong: undefined };
    }
    const text = await response.text();
    return { status: response.status, text, wrong: whatIsWrong(response, text) };
  } catch (thrown) {
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? `: ${thrown.cause.message}` : "";
    const reason = thrown instanceof Error ? `${thrown.message}${cause}` : String(thrown);
    return { status: 0, text: "", wrong: `no answer (${reason})` };
  }
}

function whatIsWrong({ status, headers }: Response, text: string): string | undefined {
  const isOthers = status === 502 || (status === 503 && headers.has("retry-after")); // another server's failure, or later
  if (status >= 500 && !isOthers) return `status ${status} ${text.slice(0, 200)}`;
  if (/\bat \S+ \(|node_modules|file:\/\/\/|\.ts:\d+/.test(text) && status >= 400) {
    return `an error that tells of the inside: ${text.slice(0, 200)}`;
  }
  if (status >= 400 && !hasErrorShape(text)) return `an error in no shape of ours: ${status} ${text.slice(0, 200)}`;
  return undefined;
}

/** Exa's three ways to say no: a sentence under `error`, a record under it, or one with a message. */
function hasErrorShape(text: string): boolean {
  try {
    return Object.values(errorSchemas).some((schema) => schema.safeParse(JSON.parse(text)).success);
  } catch {
    return false; // not JSON
  }
}

function rememberIds(known: string[], text: string): void {
  for (const [, id] of text.matchAll(/"id":"([^"]{1,100})"/g)) {
    if (id === undefined || known.includes(id)) continue;
    if (known.length >= MAX_KNOWN_IDS) known.splice(4, 1); // the made-up ones stay
    known.push(id);
  }
}
