/** Where the server can be reached: a unix socket, or loopback where there are none. */
export type PostgresEndpoint =
  { readonly kind: "socket"; readonly directory: string } | { readonly kind: "loopback"; readonly port: number };

/** A server setting of PostgreSQL by its name. */
export type PostgresSettings = Readonly<Record<string, string>>;

/**
 * The settings of the embedded server: durable, small when idle, and sized for one
 * program on one machine. `overrides` is for tests that need no durability.
 */
export function postgresSettings(endpoint: PostgresEndpoint, overrides: PostgresSettings): PostgresSettings {
  return { ...DURABILITY, ...SIZE, ...LOGGING, ...endpointSettings(endpoint), ...overrides };
}

const DURABILITY: PostgresSettings = {
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  autovacuum: "on",
  // Nobody replicates from this server.
  wal_level: "minimal",
  max_wal_senders: "0",
  max_logical_replication_workers: "0",
};

const SIZE: PostgresSettings = {
  max_connections: "60",
  shared_buffers: "64MB",
  effective_cache_size: "512MB",
  work_mem: "8MB",
  maintenance_work_mem: "64MB",
  min_wal_size: "64MB",
  max_wal_size: "512MB",
  max_worker_processes: "4",
  max_parallel_workers: "2",
  max_parallel_workers_per_gather: "1",
  io_method: "sync", // no I/O worker processes
  random_page_cost: "1.1",
  jit: "off",
  timezone: "UTC",
};

/** To standard error, which is the log file. */
const LOGGING: PostgresSettings = {
  log_destination: "stderr",
  logging_collector: "off",
  log_min_messages: "warning",
  log_min_error_statement: "panic", // statements carry users' data
  log_checkpoints: "off",
  log_timezone: "UTC",
  log_line_prefix: "%m [%p] ",
};

function endpointSettings(endpoint: PostgresEndpoint): PostgresSettings {
  return endpoint.kind === "socket"
    ? {
        listen_addresses: "",
        unix_socket_directories: quoteForList(endpoint.directory),
        unix_socket_permissions: "0700",
      }
    : { listen_addresses: "127.0.0.1", port: String(endpoint.port), unix_socket_directories: "" };
}

/** The setting is a list: in quotes a comma is part of a name, and so is a quote that is written twice. */
function quoteForList(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
