import { requirements } from "../requirement.ts";

/** What the snapshot part promises. */
export const snapshotRequirements = requirements({
  "issue 3 snapshot": {
    "snapshot:address:content-hash": "a snapshot's id is the hash of its content",
    "snapshot:storage:compressed": "snapshots are stored compressed",
    "snapshot:storage:deduplicated": "equal bytes are stored once",
    "snapshot:read:integrity-checked": "reading a snapshot checks its hash",
    "snapshot:api:get": "GET /quarry/v1/snapshots/{id} gives the page as it was read",
    "snapshot:api:sanitised": "a shown snapshot runs no script and loads nothing",
    "snapshot:api:own-team": "a snapshot of another team is a 404",
    "snapshot:api:unknown": "an unknown snapshot is a 404",
    "snapshot:retention:policy": "snapshots are dropped by the retention policy",
    "snapshot:retention:cited-kept": "a snapshot that anything refers to is kept",
    "snapshot:recrawl:unchanged-bytes": "unchanged bytes make no new snapshot",
    "snapshot:text:given-text-is-snapshot": "a document given as text is its own snapshot",
    "snapshot:offsets:into-extracted-text": "start and end are UTF-16 offsets into the immutable extracted text",
    "snapshot:offsets:mapped-to-source": "offsets of HTML pages map to ranges of the source",
  },
});
