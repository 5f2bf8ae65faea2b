import { agentMonitorsRequirements } from "./areas/agent-monitors.ts";
import { agentProtocolRequirements } from "./areas/agent-protocol.ts";
import { agentRunsRequirements } from "./areas/agent-runs.ts";
import { answerRequirements } from "./areas/answer.ts";
import { approvalsRequirements } from "./areas/approvals.ts";
import { batchesRequirements } from "./areas/batches.ts";
import { cliRequirements } from "./areas/cli.ts";
import { commandsRequirements } from "./areas/commands.ts";
import { configRequirements } from "./areas/config.ts";
import { consoleRequirements } from "./areas/console.ts";
import { contentsRequirements } from "./areas/contents.ts";
import { contextRequirements } from "./areas/context.ts";
import { crawlRequirements } from "./areas/crawl.ts";
import { docsRequirements } from "./areas/docs.ts";
import { durabilityRequirements } from "./areas/durability.ts";
import { eventsRequirements } from "./areas/events.ts";
import { exportsRequirements } from "./areas/exports.ts";
import { extractRequirements } from "./areas/extract.ts";
import { findsimilarRequirements } from "./areas/findsimilar.ts";
import { httpRequirements } from "./areas/http.ts";
import { importsRequirements } from "./areas/imports.ts";
import { indexRequirements } from "./areas/index.ts";
import { ingestRequirements } from "./areas/ingest.ts";
import { jobsRequirements } from "./areas/jobs.ts";
import { keysRequirements } from "./areas/keys.ts";
import { mcpRequirements } from "./areas/mcp.ts";
import { modelsRequirements } from "./areas/models.ts";
import { monitorsRequirements } from "./areas/monitors.ts";
import { openaiRequirements } from "./areas/openai.ts";
import { policyRequirements } from "./areas/policy.ts";
import { promisesRequirements } from "./areas/promises.ts";
import { researchRequirements } from "./areas/research.ts";
import { searchRequirements } from "./areas/search.ts";
import { searchMonitorsRequirements } from "./areas/search-monitors.ts";
import { securityRequirements } from "./areas/security.ts";
import { serverRequirements } from "./areas/server.ts";
import { snapshotRequirements } from "./areas/snapshot.ts";
import { storeRequirements } from "./areas/store.ts";
import { teamManagementRequirements } from "./areas/team-management.ts";
import { toolsCodeRequirements } from "./areas/tools-code.ts";
import { toolsEditsRequirements } from "./areas/tools-edits.ts";
import { toolsFilesRequirements } from "./areas/tools-files.ts";
import { toolsOutsideRequirements } from "./areas/tools-outside.ts";
import { toolsStateRequirements } from "./areas/tools-state.ts";
import { toolsTerminalRequirements } from "./areas/tools-terminal.ts";
import { webhooksRequirements } from "./areas/webhooks.ts";
import { websetsRequirements } from "./areas/websets.ts";
import { workflowsRequirements } from "./areas/workflows.ts";
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
  ...indexRequirements,
  ...searchRequirements,
  ...contentsRequirements,
  ...findsimilarRequirements,
  ...modelsRequirements,
  ...answerRequirements,
  ...openaiRequirements,
  ...contextRequirements,
  ...researchRequirements,
  ...agentRunsRequirements,
  ...batchesRequirements,
  ...websetsRequirements,
  ...importsRequirements,
  ...monitorsRequirements,
  ...searchMonitorsRequirements,
  ...agentMonitorsRequirements,
  ...webhooksRequirements,
  ...eventsRequirements,
  ...exportsRequirements,
  ...toolsFilesRequirements,
  ...toolsEditsRequirements,
  ...toolsTerminalRequirements,
  ...toolsCodeRequirements,
  ...toolsStateRequirements,
  ...toolsOutsideRequirements,
  ...agentProtocolRequirements,
  ...policyRequirements,
  ...approvalsRequirements,
  ...mcpRequirements,
  ...workflowsRequirements,
  ...consoleRequirements,
  ...cliRequirements,
  ...docsRequirements,
  ...promisesRequirements,
];
