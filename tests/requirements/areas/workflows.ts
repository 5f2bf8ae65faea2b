import { requirements } from "../requirement.ts";

/** What the workflows part promises. */
export const workflowsRequirements = requirements({
  "mcp-workflows workflows": {
    "workflows:task:id-and-status": "a workflow is a task with pending, working, completed, failed or cancelled",
    "workflows:task:progress": "a task shows step, completed, total and a message",
    "workflows:task:partial-result": "a task shows what it has so far",
    "workflows:task:cancel": "cancelling stops between steps and cancels what it made",
    "workflows:task:error-step": "a failed task names the step and whether it can be repeated",
    "workflows:task:steps-with-durations": "a result carries a one-line summary and its steps with durations",
    "workflows:task:durable": "tasks live in the job store, not in memory",
    "workflows:task:limit": "too many active tasks are refused with a clear error",
    "workflows:harvest:polls-until-idle": "lifecycle.harvest makes a webset, waits until idle and collects its items",
    "workflows:harvest:timeout-keeps-partial": "a harvest that runs out of time keeps what it has",
    "workflows:harvest:cleanup": "cleanup deletes the webset at the end",
    "workflows:harvest:counts": "a harvest counts included and excluded items",
    "workflows:convergent:merge": "convergent.search merges by URL or name similarity over 0.85",
    "workflows:convergent:intersection": "it tells what several queries found, with confidence",
    "workflows:convergent:overlap-matrix": "it gives the overlap of each pair of queries",
    "workflows:winnow:niches": "qd.winnow makes niches of the criteria satisfied",
    "workflows:winnow:fitness": "fitness is the mean over completed enrichments",
    "workflows:winnow:elites": "elites are chosen by all, any or one per niche",
    "workflows:winnow:metrics": "it gives coverage, mean fitness, diversity and stringency",
    "workflows:winnow:descriptor-feedback": "it tells criteria that are too strict or do not discriminate",
    "workflows:adversarial:two-sides": "adversarial.verify searches thesis and antithesis and weighs them",
    "workflows:research-deep:waits": "research.deep runs a research to its end",
    "workflows:verified-collection:per-item":
      "research.verifiedCollection researches each of the top items from a template",
    "workflows:search-and-read:texts": "retrieval.searchAndRead returns results with their text cut to size",
    "workflows:expand-and-collect:similar":
      "retrieval.expandAndCollect adds pages similar to the top and tags their source",
    "workflows:verified-answer:overlap": "retrieval.verifiedAnswer checks an answer against an independent search",
    "workflows:verify-enrichments:tiers": "verify.enrichments checks items and cells and removes the unfit",
    "workflows:semantic-cron:shapes": "semantic.cron matches shapes of conditions on enrichments",
    "workflows:semantic-cron:joins": "it joins lenses by entity, time or value",
    "workflows:semantic-cron:signal": "its signal fires on all, any, threshold or combination",
    "workflows:semantic-cron:delta": "it tells what joined or left since the last run",
    "workflows:pure:hand-computed":
      "merge, niches, fitness, elites, entropy, feedback, joins and deltas match hand-computed cases",
  },
});
