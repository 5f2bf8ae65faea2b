import { AppError, type StorageFault } from "@quarry/base";
import pg from "pg";

/** Normalises what the driver threw; see Queryable for the codes. What is already an AppError passes unchanged. */
export function toDatabaseError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const sqlState = thrown instanceof pg.DatabaseError ? thrown.code : undefined;
  if (isConnectionFailure(thrown)) {
    return new AppError("unavailable", "the database cannot be reached at the moment; try again shortly", {
      retryable: true,
      cause: thrown,
      ...(sqlState === undefined ? {} : { details: { sqlState } }),
    });
  }
  const fault = sqlState === undefined ? undefined : STORAGE_FAULTS.get(sqlState);
  if (fault !== undefined) return AppError.ofStorage(fault, { cause: thrown, details: { sqlState } });
  if (!(thrown instanceof pg.DatabaseError) || sqlState === undefined) {
    const error = AppError.from(thrown);
    if (error.code !== "internal") return error; // no descriptor was left for the connection
    return new AppError("internal", "a database call failed", { cause: thrown });
  }
  if (LOST_RACE.has(sqlState)) {
    return new AppError("conflict", "the change met another one at the same rows; try again", {
      retryable: true,
      cause: thrown,
      details: { sqlState },
    });
  }
  if (sqlState === UNIQUE_VIOLATION) {
    return new AppError("conflict", "something with the same identity exists already", {
      cause: thrown,
      details: { sqlState, constraint: thrown.constraint },
    });
  }
  return new AppError("internal", `a database statement failed (SQLSTATE ${sqlState})`, {
    cause: thrown,
    details: { sqlState },
  });
}

/** Whether `error` came from a unique index; `constraint` narrows it to one index by name. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof AppError) || error.details["sqlState"] !== UNIQUE_VIOLATION) return false;
  return constraint === undefined || error.details["constraint"] === constraint;
}

/** Whether the connection, not the statement, is what failed: nobody knows then if an open statement took effect. */
export function isConnectionFailure(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof pg.DatabaseError) {
    const sqlState = thrown.code ?? "";
    return sqlState.startsWith("08") || SERVER_GOES_AWAY.has(sqlState);
  }
  if ("code" in thrown && typeof thrown.code === "string" && SOCKET_FAILURES.has(thrown.code)) return true;
  return DRIVER_CONNECTION_MESSAGES.some((message) => thrown.message.includes(message));
}

const UNIQUE_VIOLATION = "23505";

/**
 * disk_full, io_error, insufficient_resources (no descriptor left), out_of_memory,
 * read_only_sql_transaction (a server that only reads at the moment).
 */
const STORAGE_FAULTS: ReadonlyMap<string, StorageFault> = new Map([
  ["53100", "full"],
  ["58030", "failing"],
  ["53000", "too-many-files"],
  ["53200", "out-of-memory"],
  ["25006", "read-only"],
]);

/** serialization_failure, deadlock_detected, lock_not_available. */
const LOST_RACE: ReadonlySet<string> = new Set(["40001", "40P01", "55P03"]);

/** admin_shutdown, crash_shutdown, cannot_connect_now, database_dropped, idle_session_timeout, too_many_connections. */
const SERVER_GOES_AWAY: ReadonlySet<string> = new Set(["57P01", "57P02", "57P03", "57P04", "57P05", "53300"]);

/** ENOENT is a unix socket that is not there (yet). */
const SOCKET_FAILURES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** The driver's own failures carry no code. */
const DRIVER_CONNECTION_MESSAGES: readonly string[] = [
  "Connection terminated",
  "timeout exceeded when trying to connect",
  "timeout expired",
  "Client has encountered a connection error and is not queryable",
  "Client was closed and is not queryable",
  "Query read timeout",
  "Cannot use a pool after calling end on the pool",
];
