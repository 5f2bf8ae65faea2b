import { requirements } from "../requirement.ts";

/** What the batches part promises. */
export const batchesRequirements = requirements({
  "exa-api 8": {
    "batches:beta:required": "without the beta header batches answer 403",
    "batches:create:batch": "a batch of search and agent requests with unique customIds is taken",
    "batches:get:batch": "a batch shows its status and counts",
    "batches:list:batches": "batches are listed, completed ones also by themselves",
    "batches:cancel:batch": "a batch can be cancelled",
    "batches:delete:running-409": "deleting a running batch is a 409",
    "batches:results:jsonl": "resultsUrl gives one line per request with its response or error",
  },
});
