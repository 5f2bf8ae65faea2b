import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { migrate, openDatabase, startEmbeddedPostgres } from "@quarry/store";
import type { Soak } from "./soak.ts";
import { simulateDeliveries } from "./webhook-simulation.ts";

const EVENTS = 20_000;
const FLAKY = 1;

/** 20,000 events to receivers that fail half the time, hang, reset and redirect, under a simulated clock: all arrive, in order. */
export const webhookDeliveriesSoak: Soak = {
  name: "webhook-deliveries",
  run: async ({ random, size }) => {
    const directory = await mkdtemp(path.join(tmpdir(), "quarry-soak-webhooks-"));
    const server = await startEmbeddedPostgres({ dataDirectory: directory });
    try {
      const db = await openDatabase({ address: server.address });
      try {
        await migrate(db, path.resolve("packages/store/migrations"));
        return await simulateDeliveries(db, { count: Math.ceil(EVENTS * size), flaky: FLAKY, random });
      } finally {
        await db.close();
      }
    } finally {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    }
  },
};
