import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../../tools/server-process.ts";

/** Texts that no one but their owner may ever see again. */
const SECRETS = {
  apiKey: "canary-api-key-7f21c0de55aa",
  llmKey: "canary-model-key-91b3f00d66bb",
  wrongKey: "canary-wrong-key-3c0ffee77cc",
} as const;

/** Writes every address that a process dials to a file, before it is dialled. */
const RECORD_DIALS = `
const { appendFileSync } = require("node:fs");
const { Socket } = require("node:net");
const connect = Socket.prototype.connect;
Socket.prototype.connect = function (...args) {
  const [options] = Array.isArray(args[0]) ? args[0] : args;
  const to = typeof options === "object" ? (options.path ?? options.host ?? "localhost") : String(args[1] ?? options);
  appendFileSync(process.env.DIALS_FILE, to + "\\n");
  return connect.apply(this, args);
};
`;

interface ListParameter {
  readonly name: string;
  readonly schema?: { readonly minimum?: number; readonly maximum?: number; readonly default?: number };
}

/** Least, most and default of `limit`, by the table of the wire. */
const LIST_LIMITS: Readonly<Record<string, readonly number[]>> = {
  "/websets/v0/websets": [1, 100, 25],
  "/websets/v0/websets/{webset}/items": [1, 100, 20],
  "/websets/v0/webhooks": [1, 200, 25],
  "/websets/v0/webhooks/{id}/attempts": [1, 200, 25],
  "/websets/v0/events": [1, 200, 25],
  "/websets/v0/monitors": [1, 200, 25],
  "/websets/v0/monitors/{monitor}/runs": [1, 200, 25],
  "/websets/v0/imports": [1, 200, 25],
  "/research/v1": [1, 50, 10],
  "/agent/runs": [1, 100, 20],
  "/monitors": [1, 100, 50],
};

describe("a server that is used", () => {
  let server: ServerProcess;
  let dials = "";
  let finish: () => void = () => undefined;
  let finished: Promise<void>;
  const seen: string[] = [];

  const call: ServerProcess["call"] = async (method, route, body) => {
    const reply = await server.call(method, route, body);
    seen.push(JSON.stringify(reply.body));
    return reply;
  };

  beforeAll(async () => {
    await new Promise<void>((ready, fail) => {
      finished = withDataDirectory(async (directory) => {
        const preload = path.join(directory, "record-dials.cjs");
        dials = path.join(directory, "dials.txt");
        writeFileSync(preload, RECORD_DIALS);
        writeFileSync(dials, "");
        server = await startServerProcess(path.join(directory, "data"), {
          QUARRY_API_KEY: SECRETS.apiKey,
          QUARRY_LLM_URL: "http://127.0.0.1:9/v1",
          QUARRY_LLM_KEY: SECRETS.llmKey,
          QUARRY_LLM_MODEL: "none",
          QUARRY_LOG_LEVEL: "debug",
          NODE_OPTIONS: `--require ${preload}`,
          DIALS_FILE: dials,
        });
        ready();
        await new Promise<void>((resolve) => (finish = resolve));
        await server.stop();
      });
      finished.catch(fail);
    });
  }, 120_000);

  afterAll(async () => {
    finish();
    await finished;
  }, 60_000);

  verifies(
    "http:cost:total-present",
    "says what each request cost, nothing by default",
    async () => {
      await call("POST", "/quarry/v1/documents?wait=true", {
        documents: [{ url: "https://a.example/", title: "Lighthouses", text: "A lighthouse warns ships at night." }],
      });
      for (const [route, body] of [
        ["/search", { query: "lighthouse", type: "keyword" }],
        ["/findSimilar", { url: "https://a.example/" }],
        ["/contents", { urls: ["https://a.example/"], text: true }],
      ] as const) {
        const reply = await call("POST", route, body);
        expect([route, reply.status, reply.body]).toMatchObject([route, 200, { costDollars: { total: 0 } }]);
      }
    },
    60_000,
  );

  verifies(
    "promises:t8:idempotency",
    "does once what a thousand callers ask for at once with one Idempotency-Key",
    async () => {
      const ask = async (name: string): Promise<{ readonly status: number; readonly text: string }> => {
        const reply = await fetch(`${server.url}/quarry/v1/keys`, {
          method: "POST",
          headers: { "x-api-key": SECRETS.apiKey, "content-type": "application/json", "idempotency-key": "one" },
          body: JSON.stringify({ name }),
        });
        return { status: reply.status, text: await reply.text() };
      };
      const replies = await Promise.all(Array.from({ length: 1_000 }, () => ask("made once")));
      expect([...new Set(replies.map(({ status }) => status))]).toEqual([replies[0]?.status]);
      expect(replies[0]?.status).toBeLessThan(300);
      expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
      const { body } = await call("GET", "/quarry/v1/keys");
      const named = (body as { data: { name: string }[] }).data.filter(({ name }) => name === "made once");
      expect(named).toHaveLength(1);
      expect((await ask("another body")).status).toBe(409);
    },
    120_000,
  );

  verifies(
    "promises:t22:secrets",
    "shows no secret in logs, errors, metrics, settings or replies",
    async () => {
      const keyed = { "x-api-key": SECRETS.wrongKey, "content-type": "application/json" };
      for (const [route, init] of [
        ["/search", { method: "POST", headers: keyed, body: '{"query":"x"}' }],
        [`/quarry/v1/me?api_key=${SECRETS.apiKey}`, { headers: { authorization: `Bearer ${SECRETS.wrongKey}` } }],
        [`/nowhere/${SECRETS.apiKey.slice(0, 6)}?x-api-key=${SECRETS.wrongKey}`, {}],
        ["/search", { method: "POST", headers: { ...keyed, "x-api-key": SECRETS.apiKey }, body: `{"query":` }],
        ["/answer", { method: "POST", headers: { ...keyed, "x-api-key": SECRETS.apiKey }, body: '{"query":"ships?"}' }],
      ] as const) {
        const reply = await fetch(`${server.url}${route}`, init);
        seen.push(await reply.text(), JSON.stringify([...reply.headers]));
      }
      await call("GET", "/quarry/v1/config");
      await call("POST", "/quarry/v1/model/test", {});
      await call("GET", "/quarry/v1/keys");
      await call("GET", "/quarry/v1/usage");
      const metrics = await fetch(`${server.url}/metrics`, { headers: { "x-api-key": SECRETS.apiKey } });
      seen.push(await metrics.text());
      for (const [name, secret] of Object.entries(SECRETS)) {
        expect(server.stdout().includes(secret), `${name} on standard output`).toBe(false);
        expect(
          server
            .stderr()
            .split("\n")
            .filter((line) => line.includes(secret)),
          `${name} in the log`,
        ).toEqual([]);
        expect(
          seen.filter((text) => text.includes(secret)),
          `${name} in a reply`,
        ).toEqual([]);
      }
    },
    60_000,
  );

  verifies("http:paging:default-limit", "gives each list the default and the most that Exa gives it", async () => {
    const { body } = await call("GET", "/openapi.json");
    const { paths } = body as { paths: Readonly<Record<string, { readonly get?: { readonly parameters?: unknown } }>> };
    const limits = Object.entries(LIST_LIMITS).map(([route]) => {
      const parameters = (paths[route]?.get?.parameters ?? []) as readonly ListParameter[];
      const schema = parameters.find(({ name }) => name === "limit")?.schema;
      return [route, [schema?.minimum, schema?.maximum, schema?.default]];
    });
    expect(Object.fromEntries(limits)).toEqual(LIST_LIMITS);
  });

  verifies("security:telemetry:no-phone-home", "dials nobody but its own parts", () => {
    const dialled = new Set(readFileSync(dials, "utf8").trim().split("\n"));
    expect(dialled.size).toBeGreaterThan(0);
    const foreign = [...dialled].filter((to) => !/^(127\.0\.0\.1|localhost|::1|\/.*)$/.test(to));
    expect(foreign).toEqual([]);
  });
});
