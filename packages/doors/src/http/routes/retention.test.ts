import { RETENTION_JOB, scheduleRetention } from "@quarry/ingest";
import { listJobs } from "@quarry/store";
import { expect, it } from "vitest";
import { fakeClock } from "../../testing-clock.ts";
import { withHttpApp } from "../../testing.ts";
import { retentionRoutes } from "./retention.ts";

const policy = { versions: 3, versionDays: 30, usageDays: 100 };

it("tells what would be removed, removes nothing, and runs on a word of the operator's team alone", () =>
  withHttpApp(
    async (world) => {
      await scheduleRetention(world.db);
      const told = await world.call("GET", "/quarry/v1/retention");
      expect([told.statusCode, told.json()]).toEqual([
        200,
        {
          policy,
          wouldRemove: { versions: 0, texts: 0, snapshots: 0, snapshotBytes: 0, usageRecords: 0 },
          nextRunAt: expect.stringMatching(/T03:17:00/) as string,
        },
      ]);
      const { secret } = await world.makeKey({ teamId: await world.makeTeam() });
      expect((await world.call("GET", "/quarry/v1/retention", { key: secret })).statusCode).toBe(403);
      expect((await world.call("POST", "/quarry/v1/retention/run", { key: secret })).statusCode).toBe(403);
      expect((await world.call("POST", "/quarry/v1/retention/run")).statusCode).toBe(201);
      const { data } = await listJobs(world.db, { kind: RETENTION_JOB }, { limit: 10 });
      expect((await world.call("POST", "/quarry/v1/retention/run")).json()).toEqual({ jobId: data[0]?.id }); // that one waits
      expect(data).toMatchObject([{ kind: RETENTION_JOB }]);
    },
    ({ db, teamId }) => ({ routes: retentionRoutes({ db, clock: fakeClock(), policy, operatorTeamId: teamId }) }),
  ));
