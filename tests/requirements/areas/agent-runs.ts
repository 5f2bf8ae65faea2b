import { requirements } from "../requirement.ts";

/** What the agent runs part promises. */
export const agentRunsRequirements = requirements({
  "exa-api 7.1": {
    "agent-runs:create:run": "POST /agent/runs starts a run and answers it",
    "agent-runs:create:sse": "with Accept text/event-stream the run is streamed to its end",
    "agent-runs:create:fields":
      "query, systemPrompt, input, outputSchema, effort, budget, previousRunId and metadata are honoured",
    "agent-runs:create:unknown-data-source": "a data source we lack is INVALID_DATA_SOURCE",
    "agent-runs:create:previous-not-completed": "a previous run that is not completed is a 409",
    "agent-runs:list:paged": "runs are listed with object list",
    "agent-runs:get:run": "a run is read by its id; unknown is RUN_NOT_FOUND",
    "agent-runs:delete:marker": "deleting a run answers the deleted marker",
    "agent-runs:cancel:run": "a run can be cancelled",
    "agent-runs:stop:early": "a run can be stopped early with what it has",
    "agent-runs:events:list": "a run's events are listed, or streamed when asked",
    "agent-runs:events:last-event-id": "Last-Event-ID resumes the stream",
    "agent-runs:run:stop-reason": "an ended run says why it ended",
    "agent-runs:run:grounding": "the output's fields carry citations",
    "agent-runs:run:cost": "usage and costDollars count what was used",
    "agent-runs:exa-js:runs": "exa-js agent runs work",
  },
});
