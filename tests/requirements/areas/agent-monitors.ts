import { requirements } from "../requirement.ts";

/** What the agent monitors part promises. */
export const agentMonitorsRequirements = requirements({
  "exa-api 7.2": {
    "agent-monitors:create:monitor": "an agent monitor is made of cadence, entities and fields",
    "agent-monitors:create:idempotency": "Idempotency-Key is honoured",
    "agent-monitors:entities:add-and-list": "entities are added and listed with their contents and version",
    "agent-monitors:changes:since": "changes are listed since a version",
    "agent-monitors:backtest:run": "a back-test runs over the stored past",
    "agent-monitors:delete:marker": "deleting answers the deleted marker",
  },
});
