import { AppError } from "@quarry/base";
import type { AgentRequest, ResearchModel } from "@quarry/contract";
import { compileSchema } from "@quarry/models";
import { createResearch, getResearch, type Database, type Json, type Research } from "@quarry/store";
import { instructionsOf } from "./run-terms.ts";

/** Active agent runs of one key; further ones wait as queued. */
const AGENT_RUNS_PER_KEY = 50;

/** How much is read for an effort. */
const MODELS: Readonly<Record<NonNullable<AgentRequest["effort"]>, ResearchModel>> = {
  minimal: "exa-research-fast",
  low: "exa-research-fast",
  medium: "exa-research",
  auto: "exa-research",
  high: "exa-research-pro",
  xhigh: "exa-research-pro",
  max: "exa-research-pro",
  ultra: "exa-research-pro",
};

/**
 * Begins an agent run: a research run that was asked for in another form, as durable as any. Throws `invalid_request` for a schema
 * that is none and for data sources, of which there are none here; `not_found` and `conflict` for the run it is to go on from.
 */
export async function beginAgentRun(
  db: Database,
  wish: {
    readonly id: string;
    readonly teamId: string;
    readonly keyId: string | null;
    readonly request: AgentRequest;
    readonly now: Date;
  },
): Promise<Research> {
  const { request, teamId, keyId, id, now } = wish;
  checkRequest(request);
  const previous =
    request.previousRunId === undefined ? undefined : await getPrevious(db, teamId, request.previousRunId);
  const instructions = instructionsOf(request, previous?.instructions);
  const model = MODELS[request.effort ?? "auto"];
  const outputSchema = request.outputSchema ?? null;
  const research = { id, teamId, keyId, model, instructions, outputSchema, request: request as unknown as Json };
  return createResearch(db, research, { maxRunning: AGENT_RUNS_PER_KEY, now });
}

/** An agent run of the team; throws `not_found`, also for plain research. */
export async function getAgentRun(db: Database, teamId: string, id: string): Promise<Research> {
  const research = await getResearch(db, teamId, id).catch((thrown: unknown) => {
    if (AppError.from(thrown).code === "not_found") throw noRun(id, "RUN_NOT_FOUND");
    throw thrown;
  });
  if (research.request === null) throw noRun(id, "RUN_NOT_FOUND");
  return research;
}

async function getPrevious(db: Database, teamId: string, id: string): Promise<Research> {
  const previous = await getAgentRun(db, teamId, id).catch((thrown: unknown) => {
    if (AppError.from(thrown).code === "not_found") throw noRun(id, "PREVIOUS_RUN_NOT_FOUND");
    throw thrown;
  });
  if (previous.status === "completed") return previous;
  throw new AppError("conflict", `the previous run ${id} is not completed: wait for it, or leave previousRunId out`, {
    details: { agentCode: "PREVIOUS_RUN_NOT_COMPLETED" },
  });
}

function checkRequest({ dataSources = [], outputSchema }: AgentRequest): void {
  const [source] = dataSources;
  if (source !== undefined) {
    const message = `dataSources: this server has no data source ${source.provider.slice(0, 100)}; leave dataSources out`;
    throw new AppError("invalid_request", message, { details: { agentCode: "INVALID_DATA_SOURCE" } });
  }
  if (outputSchema === undefined) return;
  try {
    compileSchema(outputSchema);
  } catch (thrown) {
    const details = { tag: "INVALID_JSON_SCHEMA", agentCode: "INVALID_OUTPUT_SCHEMA" };
    throw new AppError("invalid_request", `outputSchema: ${AppError.from(thrown).message}`, { cause: thrown, details });
  }
}

function noRun(id: string, agentCode: string): AppError {
  return new AppError("not_found", `there is no agent run ${id.slice(0, 100)}`, { details: { agentCode } });
}
