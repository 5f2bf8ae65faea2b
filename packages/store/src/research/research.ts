import type { Json } from "../jsonb.ts";
import type { ResearchStatus } from "./research-state.ts";

/** A research task as the store keeps it. */
export interface Research {
  readonly id: string;
  readonly teamId: string;
  readonly keyId: string | null;
  readonly model: string;
  readonly instructions: string;
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
  /** How an agent run was asked for; null for plain research. Its shape is the contract's. */
  readonly request: Json;
  readonly status: ResearchStatus;
  /** What a completed run came to; its shape is the answer room's. */
  readonly output: Json;
  readonly error: string | null;
  readonly jobId: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  /** When someone asked it to conclude with what it has. */
  readonly stopAskedAt: Date | null;
  readonly finishedAt: Date | null;
}

/** The columns of `toResearch`. */
export const RESEARCH_COLUMNS =
  "id, team_id, key_id, model, instructions, output_schema, request, status, output, error, job_id, created_at, started_at, stop_asked_at, finished_at";

/** A row of the table. */
export interface ResearchRow {
  readonly id: string;
  readonly team_id: string;
  readonly key_id: string | null;
  readonly model: string;
  readonly instructions: string;
  readonly output_schema: Readonly<Record<string, unknown>> | null;
  readonly request: Json;
  readonly status: ResearchStatus;
  readonly output: Json;
  readonly error: string | null;
  readonly job_id: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly stop_asked_at: Date | null;
  readonly finished_at: Date | null;
}

/** Reads a row. */
export function toResearch(row: ResearchRow): Research {
  return {
    id: row.id,
    teamId: row.team_id,
    keyId: row.key_id,
    model: row.model,
    instructions: row.instructions,
    outputSchema: row.output_schema,
    request: row.request,
    status: row.status,
    output: row.output,
    error: row.error,
    jobId: row.job_id,
    createdAt: row.created_at,
    startedAt: row.started_at,
    stopAskedAt: row.stop_asked_at,
    finishedAt: row.finished_at,
  };
}
