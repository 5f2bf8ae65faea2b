import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { announceServer, cliWorld, serveApi } from "../testing.ts";
import type { ApiAnswer, CliResult, CliWorldOptions, SeenRequest } from "../testing.ts";

const key = {
  id: "key_1",
  object: "api_key",
  name: "my agent",
  hint: "cdef",
  scopes: ["search", "research"],
  status: "active",
  budgetDollars: 5,
  spentDollars: 0.25,
  rateLimitPerSecond: null,
  createdAt: "2030-01-01T00:00:00.000Z",
  lastUsedAt: null,
  expiresAt: "2031-01-01T00:00:00.000Z",
  revokedAt: null,
  previousSecretExpiresAt: null,
};

/** Runs one command against a running server that answers so. */
async function runKeys(
  args: readonly string[],
  answer: (request: SeenRequest) => ApiAnswer = () => ({ body: key }),
  options: CliWorldOptions = {},
): Promise<CliResult & { readonly seen: readonly SeenRequest[] }> {
  const api = await serveApi(answer);
  const world = cliWorld(options);
  announceServer(world.dataDirectory, { url: api.url });
  return { ...(await world.run("keys", ...args)), seen: api.seen };
}

it("lists all pages as a table", async () => {
  const result = await runKeys(["list"], ({ url }) =>
    url.includes("cursor=next")
      ? { body: { data: [{ ...key, id: "key_2", name: "other" }], hasMore: false, nextCursor: null } }
      : { body: { data: [key], hasMore: true, nextCursor: "next" } },
  );
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect(result.stdout).toBe(
    [
      "ID     NAME      ENDS ON  STATUS  SCOPES           SPENT $  LAST USED  EXPIRES",
      "key_1  my agent  cdef     active  search,research     0.25  -          2031-01-01 00:00Z",
      "key_2  other     cdef     active  search,research     0.25  -          2031-01-01 00:00Z",
      "",
    ].join("\n"),
  );
  expect(result.seen.map(({ url }) => url)).toEqual([
    "/quarry/v1/keys?limit=100",
    "/quarry/v1/keys?limit=100&cursor=next",
  ]);
  expect(result.seen[0]?.authorization).toBe("Bearer local-key");
});

it("lists as JSON, with the option before or after the command", async () => {
  const page = () => ({ body: { data: [key], hasMore: false, nextCursor: null } });
  const after = await runKeys(["list", "--json"], page);
  expect(JSON.parse(after.stdout)).toEqual({ data: [key] });
  const api = await serveApi(page);
  const before = await cliWorld().run("--json", "--url", api.url, "keys", "list");
  expect(before.stdout).toBe(after.stdout);
});

it("makes a key with its limits and shows the secret once, on stdout", async () => {
  const args = ["create", "my agent", "--scopes", "search, research", "--expires", "2031-01-01", "--budget", "5"];
  const result = await runKeys([...args, "--rate-limit", "2.5"], () => ({
    status: 201,
    body: { ...key, key: "qk_secret" },
  }));
  expect(result.seen).toEqual([
    {
      method: "POST",
      url: "/quarry/v1/keys",
      authorization: "Bearer local-key",
      body: {
        name: "my agent",
        scopes: ["search", "research"],
        expiresAt: "2031-01-01",
        budgetDollars: 5,
        rateLimitPerSecond: 2.5,
      },
    },
  ]);
  expect(result.stdout).toMatch(/^Key {2}qk_secret\nId {15}key_1\n/);
  expect(result.stderr).toBe("The key is shown only now: keep it.\n");
});

it("changes only what is named; none takes a limit away", async () => {
  const result = await runKeys(["update", "key_1", "--name", "new", "--budget", "none", "--expires", "none"]);
  expect(result.seen[0]).toMatchObject({
    method: "PATCH",
    url: "/quarry/v1/keys/key_1",
    body: { name: "new", budgetDollars: null, expiresAt: null },
  });
});

it.each([
  [["show", "a/b"], "GET", "/quarry/v1/keys/a%2Fb", undefined],
  [["rotate", "key_1"], "POST", "/quarry/v1/keys/key_1/rotate", {}],
  [["rotate", "key_1", "--grace", "60"], "POST", "/quarry/v1/keys/key_1/rotate", { graceSeconds: 60 }],
  [["revoke", "key_1"], "DELETE", "/quarry/v1/keys/key_1", undefined],
])("calls the API for %j", async (args, method, url, body) => {
  const result = await runKeys(args, () => ({ body: { ...key, key: "qk_secret" } }));
  expect(result.code).toBe(0);
  expect(result.seen).toEqual([{ method, url, authorization: "Bearer local-key", body }]);
});

verifies(
  "cli:exit:partial",
  "ends with code 6 when only some keys could be revoked, and with the first failure when none",
  async () => {
    const answer = ({ url }: SeenRequest): ApiAnswer =>
      url.endsWith("key_1") ? { body: key } : { status: 404, body: { error: "no such key" } };
    const partial = await runKeys(["revoke", "key_1", "key_9", "--json"], answer);
    expect(partial).toMatchObject({ code: 6, stderr: "warning: key_9: no such key\n" });
    expect(JSON.parse(partial.stdout)).toEqual({
      data: [key],
      failed: [{ id: "key_9", code: "not_found", message: "no such key" }],
    });
    expect(await runKeys(["revoke", "key_8", "key_9"], answer)).toMatchObject({ code: 4, stdout: "" });
  },
);

it.each([
  [["update", "key_1"], "nothing to change"],
  [["create"], "missing required argument 'name'"],
  [["create", "x", "--scopes", "serach"], "Did you mean search?"],
  [["create", "x", "--budget", "much"], "Expected a number of at least 0."],
  [["create", "x", "--expires", "tomorrow"], "Expected a date such as 2030-01-31"],
  [["create", "x", "--expires", "2031-13-01"], "Expected a date such as 2030-01-31"],
  [["rotate", "key_1", "--grace", "-1"], "Expected a whole number from 0 to"],
  [["lits"], "Did you mean list?"],
  [["list", "--jsno"], "Did you mean --json?"],
])("refuses %j with exit code 2 and asks no server", async (args, sentence) => {
  const result = await runKeys(args);
  expect(result).toMatchObject({ code: 2, stdout: "", seen: [] });
  expect(result.stderr).toContain(sentence);
});

it.each([
  [400, 2],
  [401, 3],
  [403, 3],
  [404, 4],
  [402, 5],
  [429, 5],
  [500, 1],
])("ends on status %i with exit code %i", async (status, code) => {
  const result = await runKeys(["show", "key_1"], () => ({ status, body: { error: "the reason", requestId: "r" } }));
  expect(result).toMatchObject({ code, stdout: "" });
  expect(result.stderr).toMatch(/^error: the reason/);
});

verifies("cli:exit:rate-limit", "says how long to wait and ends with code 5 on a rate limit", async () => {
  const answer = () => ({ status: 429, headers: { "retry-after": "2" }, body: { error: "too many requests" } });
  const result = await runKeys(["list"], answer);
  expect(result).toMatchObject({ code: 5, stderr: "error: too many requests; try again in 2 s\n" });
});

it("tells errors as JSON with --json", async () => {
  const result = await runKeys(["show", "x", "--json"], () => ({ status: 404, body: { error: "no such key" } }));
  expect(JSON.parse(result.stderr)).toEqual({
    error: { code: "not_found", message: "no such key", exitCode: 4, status: 404 },
  });
});

verifies("cli:server:remote", "sends the local key to no other server, but --key or QUARRY_API_KEY", async () => {
  const api = await serveApi(() => ({ body: key }));
  const world = cliWorld({ env: { QUARRY_API_KEY: "from-env" } });
  announceServer(world.dataDirectory, { url: "http://127.0.0.1:1" });
  await world.run("keys", "show", "x", "--url", api.url);
  await world.run("keys", "show", "x", "--url", api.url, "--key", "from-flag");
  await cliWorld().run("keys", "show", "x", "--url", api.url);
  expect(api.seen.map(({ authorization }) => authorization)).toEqual([
    "Bearer from-env",
    "Bearer from-flag",
    undefined,
  ]);
  expect((await cliWorld().run("keys", "list", "--url", "localhost:7700")).code).toBe(2);
});
