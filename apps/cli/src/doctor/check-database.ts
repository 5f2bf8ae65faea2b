import { AppError } from "@quarry/base";
import { choosePostgresUser, findPostgresBinaries, openDatabase } from "@quarry/store";
import type { Check, Finding } from "./check.ts";

const check = "database";

/** Whether the embedded PostgreSQL can run here, or the one of QUARRY_DATABASE_URL answers. */
export const checkDatabase: Check = async ({ config }) => {
  try {
    return [
      config.databaseUrl === undefined ? await lookAtEmbedded(config.dataDir) : await lookAtUrl(config.databaseUrl),
    ];
  } catch (error) {
    const [detail = "", ...fix] = AppError.from(error).message.split(": ");
    const found: Finding = { check, status: "fail", detail };
    return [
      { ...found, fix: fix.length > 0 ? fix.join(": ") : "correct QUARRY_DATABASE_URL, or start that PostgreSQL" },
    ];
  }
};

async function lookAtEmbedded(dataDirectory: string): Promise<Finding> {
  const binaries = await findPostgresBinaries();
  const user = await choosePostgresUser(binaries, dataDirectory);
  const how = {
    ourselves: "as this user",
    namespace: "as root in a user namespace",
    other: "as another user than root",
  }[user.kind];
  return { check, status: "ok", detail: `embedded PostgreSQL ${binaries.majorVersion} runs ${how}` };
}

async function lookAtUrl(address: string): Promise<Finding> {
  const database = await openDatabase({
    address,
    maxConnections: 1,
    connectPatienceMs: 0,
    applicationName: "quarry doctor",
  });
  try {
    const [row] = await database.query<{ version: string }>("SELECT current_setting('server_version') AS version");
    return { check, status: "ok", detail: `PostgreSQL ${row?.version ?? ""} answers at QUARRY_DATABASE_URL` };
  } finally {
    await database.close();
  }
}
