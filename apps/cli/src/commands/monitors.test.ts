import { readFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import {
  announceServer,
  cliWorld,
  serveApi,
  temporaryDirectory,
  type ApiAnswer,
  type SeenRequest,
} from "../testing.ts";

const run = {
  id: "monitor_run_1",
  object: "monitor_run",
  status: "failed",
  monitorId: "monitor_1",
  type: "search",
  completedAt: null,
  failedAt: "2030-01-01T09:01:00.000Z",
  failedReason: "no search to repeat",
  canceledAt: null,
  canceledReason: null,
  createdAt: "2030-01-01T09:00:00.000Z",
  updatedAt: "2030-01-01T09:01:00.000Z",
};

const monitor = {
  id: "monitor_1",
  object: "monitor",
  status: "enabled",
  websetId: "webset_1",
  cadence: { cron: "0 9 * * 1", timezone: "Europe/Berlin" },
  behavior: { type: "search", config: { count: 5 } },
  lastRun: run,
  nextRunAt: "2030-01-07T08:00:00.000Z",
  metadata: {},
  createdAt: "2030-01-01T00:00:00.000Z",
  updatedAt: "2030-01-01T00:00:00.000Z",
};

async function quarry(args: readonly string[], answer: (request: SeenRequest) => ApiAnswer) {
  const api = await serveApi(answer);
  const world = cliWorld();
  announceServer(world.dataDirectory, { url: api.url });
  return { ...(await world.run(...args)), seen: api.seen.map(({ method, url, body }) => ({ method, url, body })) };
}

describe("quarry monitors", () => {
  verifies("cli:monitors:command", "lists, creates, triggers and deletes monitors, and shows their runs", async () => {
    const page = (data: readonly unknown[]) => ({ body: { data, hasMore: false, nextCursor: null } });
    const listed = await quarry(["monitors", "list", "--webset", "labs"], () => page([monitor]));
    expect(listed).toMatchObject({ code: 0, seen: [{ url: "/websets/v0/monitors?websetId=labs&limit=200" }] });
    expect(listed.stdout).toMatch(/monitor_1\s+enabled\s+webset_1\s+0 9 \* \* 1 Europe\/Berlin\s+search/);
    const runs = await quarry(["monitors", "runs", "monitor_1"], () => page([run]));
    expect(runs).toMatchObject({ code: 0, seen: [{ url: "/websets/v0/monitors/monitor_1/runs?limit=200" }] });
    expect(runs.stdout).toContain("no search to repeat");
    const made = await quarry(
      [
        "monitors",
        "create",
        "labs",
        "--cron",
        "0 9 * * 1",
        "--timezone",
        "Europe/Berlin",
        "--count",
        "5",
        "--override",
      ],
      () => ({ status: 201, body: monitor }),
    );
    expect(made).toMatchObject({
      code: 0,
      seen: [
        {
          method: "POST",
          body: {
            websetId: "labs",
            cadence: { cron: "0 9 * * 1", timezone: "Europe/Berlin" },
            behavior: { type: "search", config: { count: 5, behavior: "override" } },
          },
        },
      ],
    });
    const refresh = await quarry(
      ["monitors", "create", "labs", "--cron", "0 9 * * *", "--refresh", "contents"],
      () => ({
        status: 201,
        body: monitor,
      }),
    );
    expect(refresh.seen[0]?.body).toMatchObject({ behavior: { type: "refresh", config: { target: "contents" } } });
    const triggered = await quarry(["monitors", "trigger", "monitor_1"], () => ({ status: 201, body: run }));
    expect(triggered).toMatchObject({
      code: 0,
      stdout: "monitor_run_1\n",
      seen: [{ url: "/quarry/v1/monitors/monitor_1/trigger" }],
    });
    const deleted = await quarry(["monitors", "delete", "monitor_1"], () => ({ body: monitor }));
    expect(deleted).toMatchObject({ code: 0, seen: [{ method: "DELETE", url: "/websets/v0/monitors/monitor_1" }] });
  });

  it("says what the server refused", async () => {
    const refusal = { statusCode: 400, error: "Bad Request", message: "cadence.cron: more than once a day" };
    const result = await quarry(["monitors", "create", "labs", "--cron", "* * * * *"], () => ({
      status: 400,
      body: refusal,
    }));
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining("more than once a day")]);
  });
});

describe("quarry websets export", () => {
  const exported = (status: string) => ({
    id: "export_1",
    object: "export",
    websetId: "webset_1",
    format: "csv",
    status,
    downloadUrl:
      status === "completed"
        ? "https://public.example/base/websets/v0/websets/webset_1/exports/export_1/download?x=1"
        : null,
    expiresAt: null,
    count: status === "completed" ? 2 : null,
    failedMessage: status === "failed" ? "too many rows" : null,
    createdAt: "2030-01-01T00:00:00.000Z",
    updatedAt: "2030-01-01T00:00:00.000Z",
  });
  const answers =
    (end: string) =>
    ({ method, url }: SeenRequest): ApiAnswer => {
      if (method === "POST") return { status: 201, body: exported("pending") };
      return url.includes("/download") ? { body: "id,url\r\na,b\r\n" } : { body: exported(end) };
    };

  verifies("cli:websets:export", "waits for the file and writes it, or its bytes to stdout", async () => {
    const file = path.join(temporaryDirectory(), "labs.csv");
    const written = await quarry(["websets", "export", "my labs", "--output", file], answers("completed"));
    expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining("2 items") as string });
    expect(written.seen[0]).toEqual({
      method: "POST",
      url: "/websets/v0/websets/my%20labs/exports",
      body: { format: "csv" },
    });
    expect(written.seen.at(-1)?.url).toBe("/websets/v0/websets/webset_1/exports/export_1/download?x=1");
    expect(readFileSync(file, "utf8")).toBe("id,url\r\na,b\r\n");
    const piped = await quarry(["websets", "export", "labs", "-o", "-"], answers("completed"));
    expect(piped).toMatchObject({ code: 0, stdout: "id,url\r\na,b\r\n" });
    const failed = await quarry(["websets", "export", "labs"], answers("failed"));
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("too many rows")]);
  });
});
