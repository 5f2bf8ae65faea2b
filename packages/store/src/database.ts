/** Anything SQL can be sent to: the pool, or one transaction. */
export interface Queryable {
  /**
   * Runs one statement; the rows come back with the column names of the SQL.
   * `bigint` and `count(*)` are numbers (past 2^53 the statement rejects: cast to
   * text), `numeric` is a string, `timestamptz` and `timestamp` (read as UTC) are
   * Dates, `date` is "YYYY-MM-DD", `bytea` is a Buffer, `json` and `jsonb` are
   * parsed. Pass JSON parameters through `toJsonb`: a bare array would be taken for a
   * PostgreSQL array.
   *
   * A failure is an AppError with the driver's error as its cause: `unavailable`
   * and retryable when the connection failed, `conflict` and retryable on a
   * serialization failure or deadlock, `conflict` on a unique violation (see
   * `isUniqueViolation`), `internal` otherwise.
   */
  readonly query: <Row>(sql: string, values?: readonly unknown[], options?: QueryOptions) => Promise<readonly Row[]>;
}

/** How a statement is run. */
export interface QueryOptions {
  /**
   * Parsed and planned once per connection instead of every time. For the few
   * statements of a hot path, whose text is the same each time: each connection
   * keeps them until it closes.
   */
  readonly isPrepared?: boolean;
}

/** A transaction under way. Distinct from Database so that "inside a transaction" shows in a signature. */
export interface Transaction extends Queryable {
  readonly kind: "transaction";
}

/** The store's one way to PostgreSQL, embedded or not. */
export interface Database extends Queryable {
  readonly kind: "database";
  /**
   * Runs `work` in a transaction: committed when it resolves, rolled back when it
   * rejects, whose error passes unchanged. When the connection fails during the
   * commit nobody knows if it took effect. No network or model call belongs inside.
   */
  readonly transaction: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;
  /**
   * Calls `onNotification` for every NOTIFY on `channel` until `close()`. The
   * connection is kept and renewed after a failure; `onNotification` is then called
   * once with an empty payload, since notifications may have been missed.
   */
  readonly listen: (
    channel: string,
    onNotification: (payload: string) => void,
  ) => Promise<{ close: () => Promise<void> }>;
  readonly close: () => Promise<void>;
}
