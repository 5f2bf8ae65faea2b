import { requirements } from "../requirement.ts";

/** What the store part promises. */
export const storeRequirements = requirements({
  "issue 2 point 5": {
    "store:embedded:default":
      "without QUARRY_DATABASE_URL the bundled PostgreSQL runs as a child in the data directory",
    "store:embedded:as-root": "the embedded database runs when the server is started as root",
    "store:embedded:root-only-home": "it runs as root on a data directory below a home that only root can enter",
    "store:embedded:private-socket": "it listens on a private socket and on no network address",
    "store:embedded:ends-with-server": "it ends when the server ends",
    "store:embedded:ends-when-server-dies":
      "it does not outlive a killed server for ever, or the next start takes it over",
    "store:embedded:attach-after-kill":
      "after kill -9 of the server the next start attaches to or replaces the running child",
    "store:embedded:stale-pid-file": "a postmaster.pid left by a dead database does not stop a start",
    "store:embedded:cannot-run-says-how": "where it cannot run, the message says how to set QUARRY_DATABASE_URL",
    "store:embedded:child-crash-recovers": "a database child that dies is started again and requests recover",
    "store:embedded:fsync-on": "the embedded database runs with fsync on",
    "store:external:database-url": "QUARRY_DATABASE_URL points the store at any PostgreSQL",
    "store:external:postgres-15": "the store suite passes on PostgreSQL 15",
    "store:external:wrong-url":
      "an unreachable or refused database stops the start with what to check, without the password",
    "store:migrations:numbered-in-order": "migrations apply in the order of their numbers, each once",
    "store:migrations:transactional": "a migration that fails leaves nothing behind",
    "store:migrations:two-starts-at-once": "two processes that start at once apply each migration once",
    "store:migrations:newer-schema-refused": "a schema newer than the program is refused with a clear sentence",
    "store:migrations:changed-file-detected": "a migration changed after it was applied is reported",
    "store:owner:second-process-refused": "a second process on an embedded data directory gets a clear error",
    "store:owner:lock-after-kill-recovered": "the lock left by kill -9 is recovered",
    "store:owner:roles-refused": "roles api and worker are refused on an embedded data directory",
    "store:stall:under-20-ms": "the longest event-loop stall during bulk writes stays under 20 ms",
    "store:events:append-in-transaction": "appendEvent writes the event in the caller's transaction",
    "store:events:append-only": "an event row is never changed",
    "store:transactions:roll-back-on-error": "an error inside a transaction rolls all of it back",
    "store:transactions:no-outside-call": "no network or model call happens inside a transaction",
    "store:teams:every-row-has-team": "every row belongs to a team",
    "store:suite:same-on-both": "the same store tests run on the embedded and on a separately started server",
    "store:blobs:put-and-get": "a blob is stored under its hash and read back equal",
    "store:blobs:object-storage": "QUARRY_BLOB_URL may name object storage instead of a directory",
  },
});
