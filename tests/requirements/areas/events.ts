import { requirements } from "../requirement.ts";

/** What the events part promises. */
export const eventsRequirements = requirements({
  "exa-api 5.1": {
    "events:types:webset": "webset.created, deleted, paused and idle are written",
    "events:types:search": "webset.search.created, updated, canceled and completed are written",
    "events:types:item": "webset.item.created and enriched are written",
    "events:types:import": "import.created and completed are written",
    "events:types:monitor": "monitor.created, updated and deleted are written",
    "events:types:monitor-run": "monitor.run.created and completed are written",
    "events:types:export": "webset.export.created and completed are written",
    "events:order:plain-run": "a plain run's events come in the order of the contract",
    "events:data:full-resource": "data is the whole resource of that event's kind",
    "events:list:export-left-out": "webset.export events are left out of a list unless asked by type",
    "events:list:types-filter": "types filters, also repeated",
    "events:list:created-filters": "createdBefore and createdAfter filter inclusively",
    "events:list:paged": "events are listed with a cursor",
    "events:get:unknown": "an unknown event is a 404",
  },
  "issue 8": {
    "events:write:same-transaction": "an event is written in the transaction of its change",
    "events:write:ordered-per-resource": "events of one resource are ordered",
    "events:item:enriched-once": "webset.item.enriched comes once per item, when its last cell completes",
    "events:stream:sse": "/quarry/v1/events/stream streams events",
    "events:stream:last-event-id": "Last-Event-ID resumes without gap or repeat",
    "events:stream:2000-disconnects": "2,000 random disconnects leave no gap and no repeat",
    "events:stream:own-team": "the stream shows the team's own events alone",
    "events:exa-js:events": "exa-js events work",
  },
});
