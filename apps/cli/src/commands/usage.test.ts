import { expect, it } from "vitest";
import { cliWorld, serveApi } from "../testing.ts";

const row = {
  periodStart: "2030-01-31T00:00:00.000Z",
  keyId: "key_1",
  keyName: "my agent",
  endpoint: "POST /search",
  requests: 120,
  errors: 3,
  tokens: 0,
  costDollars: 0.6,
  latencyMs: { average: 20, p50: 12.4, p95: 80.6, max: 200 },
};
const total = { requests: 120, errors: 3, tokens: 0, costDollars: 0.6 };
const period = { from: "2030-01-01T00:00:00.000Z", to: "2030-02-01T00:00:00.000Z" };

it("asks for groups and times, and shows a column for each group", async () => {
  const api = await serveApi(() => ({ body: { ...period, groupBy: ["day", "key", "endpoint"], data: [row], total } }));
  const args = ["--by", "day,key,endpoint", "--from", "2030-01-01", "--to", "2030-02-01T00:00:00Z", "--url", api.url];
  const result = await cliWorld().run("usage", ...args);
  expect(api.seen[0]?.url).toBe(
    "/quarry/v1/usage?groupBy=day%2Ckey%2Cendpoint&from=2030-01-01&to=2030-02-01T00%3A00%3A00Z",
  );
  expect(result.stdout).toBe(
    [
      "DAY         KEY       ENDPOINT      REQUESTS  ERRORS  TOKENS  COST $  P50 MS  P95 MS",
      "2030-01-31  my agent  POST /search       120       3       0    0.60      12      81",
      "",
      "Total: 120 requests, 3 errors, 0 tokens, $0.60, 2030-01-01 to 2030-02-01",
      "",
    ].join("\n"),
  );
});

it("prints the reply unchanged as JSON", async () => {
  const body = { ...period, groupBy: ["month"], data: [], total };
  const api = await serveApi(() => ({ body }));
  const result = await cliWorld().run("usage", "--json", "--url", api.url);
  expect(api.seen[0]?.url).toBe("/quarry/v1/usage");
  expect(JSON.parse(result.stdout)).toEqual(body);
});

it("refuses a group that does not exist", async () => {
  const result = await cliWorld().run("usage", "--by", "days");
  expect([result.code, result.stderr]).toEqual([2, expect.stringContaining("Did you mean day?")]);
});
