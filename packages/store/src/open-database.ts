import { createHash } from "node:crypto";
import { AppError, sleep } from "@quarry/base";
import pg from "pg";
import { columnTypes } from "./column-types.ts";
import { isConnectionFailure, toDatabaseError } from "./database-errors.ts";
import type { Database, Queryable, QueryOptions, Transaction } from "./database.ts";
import { startListener } from "./notification-listener.ts";
import { oneAtATime } from "./one-at-a-time.ts";

/** Where a PostgreSQL is: its URL, or the parts of one. A `host` that starts with "/" is a directory with a unix socket. */
export type DatabaseAddress =
  | string
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly database: string;
      readonly password?: string;
    };

/** How to open a database. */
export interface OpenDatabaseOptions {
  readonly address: DatabaseAddress;
  /** Most connections of the pool; LISTEN takes one more. Default 10. */
  readonly maxConnections?: number;
  /** How long to go on trying to get a connection while the server restarts. Default 5 s. */
  readonly connectPatienceMs?: number;
  /** Shown in pg_stat_activity. Default "quarry". */
  readonly applicationName?: string;
  /** Told of failures that no caller waits for: an idle connection lost, a listener that threw. */
  readonly onError?: (error: AppError) => void;
}

const DEFAULT_MAX_CONNECTIONS = 10;
const DEFAULT_CONNECT_PATIENCE_MS = 5_000;
const CONNECT_TIMEOUT_MS = 10_000;
const FIRST_RETRY_MS = 20;
const LAST_RETRY_MS = 500;
const OLDEST_SERVER_VERSION = 150_000;

/**
 * Opens a pool of connections and checks that a PostgreSQL we can use answers:
 * version 15 or newer with UTF-8. Throws an AppError that says what to do
 * otherwise. The caller owns the result and closes it.
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const onError = options.onError ?? (() => undefined);
  const connection = toClientConfig(options);
  const pool = new pg.Pool({
    ...connection,
    max: options.maxConnections ?? DEFAULT_MAX_CONNECTIONS,
    idleTimeoutMillis: 60_000,
  });
  // A new connection's first bytes may hold its failure too, before its user can listen; the next statement rejects then.
  pool.on("connect", (client) => client.on("error", () => undefined));
  pool.on("error", (error) => {
    // A connection that says goodbye while the server stops may be ended by it first: after close() that is no news.
    if (!pool.ending) onError(toDatabaseError(error));
  });
  const connect = (): Promise<pg.PoolClient> =>
    connectPatiently(pool, options.connectPatienceMs ?? DEFAULT_CONNECT_PATIENCE_MS);
  const listener = startListener({ connection, onError });
  let closing: Promise<void> | undefined;

  const database: Database = {
    kind: "database",
    query: (sql, values, how) => withClient(connect, (client) => runStatement(client, sql, values, how)),
    transaction: (work) => withClient(connect, (client) => runTransaction(client, work)),
    listen: listener.listen,
    close: () => {
      closing ??= Promise.all([pool.end(), listener.close()]).then(() => undefined);
      return closing;
    },
  };
  try {
    await requireUsableServer(database);
  } catch (error) {
    await database.close();
    throw explainOpenFailure(AppError.from(error));
  }
  return database;
}

/** How the driver is told where to connect. */
export function toClientConfig(options: OpenDatabaseOptions): pg.ClientConfig {
  const { address } = options;
  if (typeof address === "string" && !/^postgres(ql)?:\/\//.test(address)) {
    throw new AppError(
      "invalid_request",
      "the database address must be a PostgreSQL URL such as postgres://user:password@host:5432/name",
      { details: { field: "QUARRY_DATABASE_URL" } },
    );
  }
  return {
    ...(typeof address === "string" ? { connectionString: address } : address),
    application_name: options.applicationName ?? "quarry",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: columnTypes,
  };
}

/** Nothing was sent yet, so trying again is always safe. A full pool or a dead host already took CONNECT_TIMEOUT_MS. */
async function connectPatiently(pool: pg.Pool, patienceMs: number): Promise<pg.PoolClient> {
  const startedAt = performance.now();
  for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)) {
    try {
      return await pool.connect();
    } catch (error) {
      const givesUp = performance.now() - startedAt + waitMs > patienceMs;
      if (givesUp || pool.ending || !isConnectionFailure(error)) throw toDatabaseError(error);
    }
    await sleep(waitMs);
  }
}

/** Lends one connection of the pool; one that failed is thrown away, not given back. */
async function withClient<T>(
  connect: () => Promise<pg.PoolClient>,
  use: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await connect();
  const connection = { isLost: false };
  const markLost = (): void => {
    connection.isLost = true; // the statement under way rejects with the same error
  };
  client.on("error", markLost);
  try {
    return await use(client);
  } finally {
    client.removeListener("error", markLost);
    client.release(connection.isLost || client.getTransactionStatus() !== "I");
  }
}

async function runStatement<Row>(
  client: pg.PoolClient,
  sql: string,
  values: readonly unknown[] = [],
  { isPrepared = false }: QueryOptions = {},
): Promise<readonly Row[]> {
  try {
    const statement = { text: sql, values: [...values], ...(isPrepared ? { name: nameOf(sql) } : {}) };
    return (await client.query<Row & pg.QueryResultRow, unknown[]>(statement)).rows;
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/** What prepared statements are called; PostgreSQL cuts names at 63 letters. */
const statementNames = new Map<string, string>();

function nameOf(sql: string): string {
  const name = statementNames.get(sql) ?? `quarry_${createHash("sha256").update(sql).digest("hex").slice(0, 32)}`;
  statementNames.set(sql, name);
  return name;
}

/** What `work` throws passes as it is. */
async function runTransaction<T>(client: pg.PoolClient, work: (tx: Transaction) => Promise<T>): Promise<T> {
  await runStatement(client, "BEGIN");
  const { transaction, end } = makeTransaction(client);
  let result: T;
  try {
    result = await work(transaction);
  } catch (error) {
    await end();
    await rollBack(client);
    throw error;
  }
  await end();
  await commit(client);
  return result;
}

/**
 * PostgreSQL answers COMMIT with ROLLBACK when a statement of the transaction had failed. Only that answer is sure:
 * the client's own view of the transaction lags behind the error it has just reported.
 */
async function commit(client: pg.PoolClient): Promise<void> {
  let command: string;
  try {
    ({ command } = await client.query("COMMIT"));
  } catch (error) {
    throw toDatabaseError(error);
  }
  if (command === "COMMIT") return;
  throw new AppError("internal", "the transaction was rolled back: a statement in it failed and nobody rethrew it");
}

/** Statements queue one behind the other, as PostgreSQL wants; after `end` they are refused. */
function makeTransaction(client: pg.PoolClient): { transaction: Transaction; end: () => Promise<void> } {
  const enqueue = oneAtATime();
  let ended = false;
  const query: Queryable["query"] = async <Row>(sql: string, values?: readonly unknown[], how?: QueryOptions) => {
    if (ended) throw new AppError("internal", "a statement came after the end of its transaction");
    return enqueue(() => runStatement<Row>(client, sql, values, how));
  };
  const end = async (): Promise<void> => {
    ended = true;
    await enqueue(() => Promise.resolve());
  };
  return { transaction: { kind: "transaction", query }, end };
}

async function rollBack(client: pg.PoolClient): Promise<void> {
  try {
    await client.query("ROLLBACK");
  } catch {
    // The connection is gone and with it the transaction; the work's own error says why.
  }
}

/** The first connection fails for reasons that a person can mend; later ones mostly because the server restarts. */
function explainOpenFailure(error: AppError): AppError {
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const sqlState = cause instanceof pg.DatabaseError ? cause.code : undefined;
  const advice = sqlState === undefined ? undefined : OPEN_FAILURES.get(sqlState);
  if (advice !== undefined) {
    return new AppError("unavailable", `${advice} (${cause?.message ?? ""})`, { cause: error, details: { sqlState } });
  }
  if (error.code !== "unavailable" || cause === undefined) return error;
  return new AppError(
    "unavailable",
    `the database does not answer (${cause.message}): check that it runs and that QUARRY_DATABASE_URL names its host and port`,
    { retryable: true, cause: error },
  );
}

/** By SQLSTATE: invalid_authorization_specification, invalid_password, invalid_catalog_name. */
const OPEN_FAILURES: ReadonlyMap<string, string> = new Map([
  ["28000", "the database refuses this user: check QUARRY_DATABASE_URL and the server's pg_hba.conf"],
  ["28P01", "the database refuses the user or the password: check QUARRY_DATABASE_URL"],
  ["3D000", "the server has no database of that name: create it, or correct QUARRY_DATABASE_URL"],
]);

async function requireUsableServer(database: Queryable): Promise<void> {
  const [server] = await database.query<{ version: number; encoding: string }>(
    "SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding",
  );
  if (server === undefined || server.version < OLDEST_SERVER_VERSION) {
    throw new AppError(
      "unavailable",
      "the database server is too old: PostgreSQL 15 or newer is needed; point QUARRY_DATABASE_URL at one, or unset it to use the embedded one",
    );
  }
  if (server.encoding !== "UTF8") {
    throw new AppError(
      "unavailable",
      `the database has encoding ${server.encoding}: create it with UTF8 (CREATE DATABASE quarry ENCODING 'UTF8' TEMPLATE template0)`,
    );
  }
}
