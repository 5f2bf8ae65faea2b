import { writeUsage } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { useHttpApp } from "../../testing.ts";

const world = useHttpApp();

verifies("http:usage:export", "writes usage as CSV that a spreadsheet reads as text and numbers", async () => {
  const { call, db, teamId, clock } = world();
  const made = await call("POST", "/quarry/v1/keys", { body: { name: '=cmd("x"), "quoted"' } });
  const { id } = made.json<{ id: string }>();
  const at = new Date("2026-02-01T10:30:00.000Z");
  await writeUsage(db, [
    { teamId, keyId: id, endpoint: "POST /search", status: 200, latencyMs: 2, tokens: 5, costDollars: 0.5, at },
    { teamId, keyId: id, endpoint: "POST /search", status: 400, latencyMs: 4, tokens: 0, costDollars: 0, at },
  ]);
  clock.advance(1);
  const query = "format=csv&to=2026-02-02&groupBy=hour,key,endpoint";
  const reply = await call("GET", `/quarry/v1/usage?${query}`);
  expect(reply.headers["content-type"]).toBe("text/csv; charset=utf-8");
  expect(reply.body.split("\r\n")).toEqual([
    "periodStart,keyId,keyName,endpoint,requests,errors,tokens,costDollars,latencyAverageMs,latencyP95Ms",
    `2026-02-01T10:00:00.000Z,${id},"'=cmd(""x""), ""quoted""",POST /search,2,1,5,0.5,3,3.9`,
    "",
  ]);
  const byEndpoint = await call("GET", "/quarry/v1/usage?format=csv&to=2026-02-02&groupBy=endpoint");
  expect(byEndpoint.body).toContain("endpoint,requests,errors");
});

it("refuses a period that ends before it starts", async () => {
  const reply = await world().call("GET", "/quarry/v1/usage?from=2026-02-02&to=2026-02-01");
  expect([reply.statusCode, reply.json<{ error: string }>().error]).toEqual([
    400,
    "from: expected an instant before `to`",
  ]);
});
