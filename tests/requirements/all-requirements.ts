import { commandsRequirements } from "./areas/commands.ts";
import { configRequirements } from "./areas/config.ts";
import { crawlRequirements } from "./areas/crawl.ts";
import { durabilityRequirements } from "./areas/durability.ts";
import { extractRequirements } from "./areas/extract.ts";
import { httpRequirements } from "./areas/http.ts";
import { ingestRequirements } from "./areas/ingest.ts";
import { jobsRequirements } from "./areas/jobs.ts";
import { keysRequirements } from "./areas/keys.ts";
import { securityRequirements } from "./areas/security.ts";
import { serverRequirements } from "./areas/server.ts";
import { snapshotRequirements } from "./areas/snapshot.ts";
import { storeRequirements } from "./areas/store.ts";
import { teamManagementRequirements } from "./areas/team-management.ts";
import { workspaceRequirements } from "./areas/workspace.ts";
import type { Requirement } from "./requirement.ts";

/** Every listed behaviour, in the order a reader would meet the product. */
export const allRequirements: readonly Requirement[] = [
  ...commandsRequirements,
  ...workspaceRequirements,
  ...serverRequirements,
  ...configRequirements,
  ...storeRequirements,
  ...jobsRequirements,
  ...keysRequirements,
  ...httpRequirements,
  ...teamManagementRequirements,
  ...securityRequirements,
  ...durabilityRequirements,
  ...crawlRequirements,
  ...snapshotRequirements,
  ...extractRequirements,
  ...ingestRequirements,
];
