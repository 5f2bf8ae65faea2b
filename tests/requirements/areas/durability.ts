import { requirements } from "../requirement.ts";

/** What the durability part promises. */
export const durabilityRequirements = requirements({
  "issue 2 seen working": {
    "durability:kill:at-any-moment":
      "after kill -9 at any moment the next start is ready and nothing acknowledged is lost",
    "durability:backup:consistent-under-load": "a backup taken under load restores to equal rows",
    "durability:backup:restore-refuses-running": "restore refuses a data directory that a server owns",
  },
  "design long work": {
    "durability:long-work:state-event-jobs-together": "state, event and next jobs are written in one transaction",
    "durability:long-work:units-idempotent": "a unit done twice has the effect of once",
    "durability:long-work:dead-worker-replaced": "the work of a dead worker is continued by another",
  },
  "issue 3": {
    "durability:crawl:kill-no-page-lost":
      "a crawl killed at random loses no page and fetches none twice within the run",
    "durability:snapshot:integrity": "a damaged snapshot is reported, never served",
  },
  "design the write path": {
    "durability:index:acknowledged-survives": "a document acknowledged before kill -9 is found after the restart",
    "durability:index:reconciled": "index and store agree after a restart",
    "durability:index:not-embedded-twice": "vectors computed before a kill are not computed again",
    "durability:index:server-profile-kills":
      "with shared store and index, killing one api and one worker loses nothing",
  },
  "issue 6": {
    "durability:research:resumes": "a research killed at any moment goes on from its last event",
    "durability:research:no-event-twice": "no research event is lost or repeated by kills",
    "durability:research:no-operation-paid-twice": "no finished operation is done or paid twice",
  },
  "issue 7": {
    "durability:websets:kills": "100 kills during a run lose or double no item, leave no cell stuck and reach idle",
  },
  "issue 8": {
    "durability:webhooks:kills": "50 kills of the sender lose no delivery",
    "durability:import:kill-exact-counts": "an import of 50,000 rows killed in the middle ends with exact counts",
    "durability:export:kill-exact-counts": "an export killed in the middle ends complete",
  },
  "issue 9": {
    "durability:approvals:survive-kill": "an approval that waits survives a killed server",
    "durability:sessions:survive-restart": "tool sessions survive a restart",
  },
  "issue 11": {
    "durability:workflows:survive-kill": "a workflow killed in the middle resumes and ends with its result",
  },
});
