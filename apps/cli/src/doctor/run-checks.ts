import type { Check, CheckInput, Finding } from "./check.ts";
import { checkDataDirectory } from "./check-data-directory.ts";
import { checkDatabase } from "./check-database.ts";
import { checkModels } from "./check-models.ts";
import { checkPort } from "./check-port.ts";
import { checkPrograms } from "./check-programs.ts";
import { checkServer } from "./check-server.ts";

const CHECKS: readonly Check[] = [
  checkServer,
  checkPort,
  checkDataDirectory,
  checkDatabase,
  checkModels,
  checkPrograms,
];

/** Looks at everything at once; findings come in a fixed order. */
export async function runChecks(input: CheckInput): Promise<readonly Finding[]> {
  const findings = await Promise.all(CHECKS.map((check) => check(input)));
  return findings.flat();
}
