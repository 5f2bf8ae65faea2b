import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { serveMiniWeb } from "@quarry/crawl/testing";
import { startServerProcess, type ServerProcess } from "../server-process.ts";
import { generateValue, type Generation } from "./generate-value.ts";
import type { Soak } from "./soak.ts";

const REQUESTS = 20_000;
const CLIENTS = 8;
/** The longest that a request of these may take, its pages' 90 seconds aside: none of the pages is slow. */
const HANG_MS = 30_000;
const MAX_VIOLATIONS = 20;
const ROUTES = ["/search", "/search", "/search", "/findSimilar", "/contents", "/quarry/v1/explain"] as const;

const DOCUMENTS = Array.from({ length: 30 }, (_, index) => ({
  url: `https://a.example/page-${index}`,
  title: `Page ${index} about ${index % 2 === 0 ? "owls" : "volcanoes"}`,
  text: `This page tells of ${index % 2 === 0 ? "owls that hunt at night" : "a volcano with lava"}. It is number ${index}.`,
}));

interface OpenApi {
  readonly paths: Readonly<Record<string, { readonly post?: { readonly requestBody?: unknown } }>>;
  readonly components: { readonly schemas: Generation["components"] };
}

/**
 * 20,000 requests made from the published schemas, right and wrong: each has an answer in time, in its shape, and none
 * is a failure of the server's own.
 */
export const searchFuzzSoak: Soak = {
  name: "search-fuzz",
  run: async ({ random, size, report }) => {
    const total = Math.max(1, Math.ceil(REQUESTS * size));
    const directory = mkdtempSync(path.join(tmpdir(), "quarry-fuzz-"));
    const web = await serveMiniWeb((target) =>
      target.startsWith("/page")
        ? { body: `<title>${target}</title><p>A page about owls.</p><a href="/page2">2</a>` }
        : undefined,
    );
    const violations: string[] = [];
    const statuses = new Map<number, number>();
    let slowestMs = 0;
    try {
      const server = await startServerProcess(directory, {
        QUARRY_LOG_LEVEL: "error",
        QUARRY_SAMPLE: "0",
        QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1",
      });
      await server.call("POST", "/quarry/v1/documents?wait=true", DOCUMENTS);
      const openApi = (await server.call("GET", "/openapi.json")).body as OpenApi;
      const urls = [
        ...[`${web.origin}/page1`, `${web.origin}/missing`, "https://a.example/page-1", "https://a.example/page-2"],
        ...[
          "http://127.0.0.1:1/",
          "http://10.0.0.1/",
          "not a url",
          "ftp://x.y/",
          "",
          "x".repeat(2_100),
          "\u0000",
          "http://[::1",
        ],
      ];
      const generation = { random, components: openApi.components.schemas, urls };
      const requests = Array.from({ length: total }, () => {
        const route = random.pick(ROUTES);
        return { route, body: JSON.stringify(generateValue(generation, bodySchemaOf(openApi, route))) };
      });
      let next = 0;
      const client = async (): Promise<void> => {
        for (
          let request = requests[next];
          request !== undefined && violations.length < MAX_VIOLATIONS;
          request = requests[next]
        ) {
          next += 1;
          const began = performance.now();
          const { status, wrong } = await ask(server, request);
          slowestMs = Math.max(slowestMs, performance.now() - began);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (wrong !== undefined) violations.push(`${wrong}: ${request.route} ${request.body.slice(0, 400)}`);
          if (next % 1_000 === 0) report(`${next} of ${total}`);
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      const { status } = await server.call("POST", "/search", { query: "owls" });
      if (status !== 200) violations.push(`afterwards a search is answered with ${status}`);
      await server.stop();
    } finally {
      await web.close();
      rmSync(directory, { recursive: true, force: true });
    }
    const counts = Object.fromEntries([...statuses].map(([status, count]) => [`status ${status}`, count]));
    return { figures: { requests: total, slowestMs: Math.round(slowestMs), ...counts }, violations };
  },
};

function bodySchemaOf({ paths }: OpenApi, route: string): Readonly<Record<string, unknown>> {
  const body = paths[route]?.post?.requestBody as
    { readonly content: Readonly<Record<string, { readonly schema: Readonly<Record<string, unknown>> }>> } | undefined;
  const schema = body?.content["application/json"]?.schema;
  if (schema === undefined) throw new Error(`${route} has no published body`);
  return schema;
}

async function ask(
  server: ServerProcess,
  request: { readonly route: string; readonly body: string },
): Promise<{ readonly status: number; readonly wrong: string | undefined }> {
  // A kept connection may be closed by the server the moment the client uses it again: that says nothing of the request,
  // and a request that breaks its connection breaks the second one too.
  const first = await send(server, request);
  const reply = first.kind === "broken" ? await send(server, request) : first;
  if (reply.kind === "broken") return { status: 0, wrong: `no answer (${reply.reason})` };
  return { status: reply.response.status, wrong: whatIsWrong(reply.response, reply.text) };
}

type Sent =
  | { readonly kind: "answered"; readonly response: Response; readonly text: string }
  | { readonly kind: "broken"; readonly reason: string };

async function send(server: ServerProcess, request: { readonly route: string; readonly body: string }): Promise<Sent> {
  try {
    const response = await fetch(`${server.url}${request.route}`, {
      method: "POST",
      headers: { "x-api-key": server.key, "content-type": "application/json" },
      body: request.body,
      signal: AbortSignal.timeout(HANG_MS),
    });
    return { kind: "answered", response, text: await response.text() };
  } catch (thrown) {
    if (!(thrown instanceof Error)) return { kind: "broken", reason: "unknown" };
    const cause = thrown.cause instanceof Error ? `: ${thrown.cause.message}` : "";
    return { kind: "broken", reason: `${thrown.message}${cause}` };
  }
}

function whatIsWrong({ status, headers }: Response, text: string): string | undefined {
  if (status >= 500 && !(status === 503 && headers.has("retry-after"))) return `status ${status} ${text.slice(0, 200)}`;
  if (status === 204 || status === 202) return `status ${status}`;
  if (headers.get("content-type")?.startsWith("text/event-stream") === true) {
    return text.endsWith("data: [DONE]\n\n") ? undefined : `a stream that ends with ${text.slice(-100)}`;
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return "an answer that is not JSON";
  }
  if (typeof body !== "object" || body === null) return "an answer that is no object";
  if (status >= 400) return "error" in body && typeof body.error === "string" ? undefined : "an error without a text";
  return "results" in body && Array.isArray(body.results) ? undefined : "an answer without results";
}
