import { requirements } from "../requirement.ts";

/** What the search monitors part promises. */
export const searchMonitorsRequirements = requirements({
  "exa-api 6": {
    "search-monitors:create:201": "POST /monitors answers 201 with webhookSecret, once",
    "search-monitors:create:interval": "trigger takes one interval unit of at least an hour",
    "search-monitors:create:search-required": "search.query and webhook.url are required",
    "search-monitors:create:output-schema": "outputSchema shapes the run's output",
    "search-monitors:list:filters": "monitors are filtered by status, name and metadata",
    "search-monitors:update:merges": "PATCH merges search and webhook, and trigger null removes the schedule",
    "search-monitors:update:status": "status can be set to active or paused",
    "search-monitors:delete:object": "deleting returns the monitor",
    "search-monitors:trigger:manual": "POST trigger runs now",
    "search-monitors:batch:dry-run": "batch is a dry run by default and tells what it would touch",
    "search-monitors:batch:actions": "batch deletes, pauses and unpauses by filter",
    "search-monitors:runs:list-and-get": "runs are listed and read",
    "search-monitors:runs:only-new-results": "a run returns results not seen in earlier runs",
    "search-monitors:runs:fail-reason": "a failed run carries its reason",
    "search-monitors:webhook:run-completed": "a completed run is delivered with its metadata",
    "search-monitors:disabled:after-auth-failures": "ten authentication failures in a row disable the monitor",
    "search-monitors:exa-js:monitors": "exa-js monitors work",
  },
});
