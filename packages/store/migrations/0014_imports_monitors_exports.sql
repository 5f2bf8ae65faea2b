-- Files of entities that people send, watches over websets and over searches, and files made of websets.

-- An import waits for its file, then a job reads it in batches; `rows_kept` and the rows of one batch are written
-- together, so that a killed worker's successor goes on after the last whole batch.
CREATE TABLE imports (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  status text NOT NULL CHECK (status IN ('pending', 'processing', 'completed', 'failed')),
  title text NOT NULL,
  format text NOT NULL CHECK (format IN ('csv')),
  entity jsonb NOT NULL,
  metadata jsonb NOT NULL,
  -- What the client announced: the most bytes of its upload, and how many records it counted.
  size integer NOT NULL CHECK (size > 0),
  announced_count integer NOT NULL CHECK (announced_count >= 0),
  -- The column that names the entity, counted from 0; null to find it.
  identifier_column integer CHECK (identifier_column >= 0),
  upload_token_hash bytea,
  upload_valid_until timestamptz NOT NULL,
  -- Who sends the file right now, and until when nobody else may.
  upload_claim text,
  upload_claimed_until timestamptz,
  blob_key text,
  records_read integer NOT NULL DEFAULT 0,
  rows_kept integer NOT NULL DEFAULT 0,
  failed_reason text CHECK (failed_reason IN ('invalid_format', 'invalid_file_content', 'missing_identifier')),
  failed_message text,
  failed_at timestamptz,
  job_id text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CHECK ((status = 'failed') = (failed_at IS NOT NULL))
);

CREATE INDEX imports_by_team ON imports (team_id, id DESC);

CREATE TABLE import_rows (
  import_id text NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
  -- 1, 2, 3 … among the rows kept.
  number integer NOT NULL,
  -- What the identifying column says, and the address it is, where it is one.
  identifier text NOT NULL,
  url text,
  name text,
  fields jsonb NOT NULL,
  PRIMARY KEY (import_id, number)
);

-- A watch over a webset. Its slots come from job_schedules, under the name `monitor:<id>`, while it is enabled.
CREATE TABLE monitors (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  webset_id text NOT NULL REFERENCES websets (id) ON DELETE CASCADE,
  status text NOT NULL CHECK (status IN ('enabled', 'disabled')),
  cron text NOT NULL,
  time_zone text NOT NULL,
  behavior jsonb NOT NULL,
  metadata jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE INDEX monitors_by_team ON monitors (team_id, id DESC);
CREATE INDEX monitors_by_webset ON monitors (webset_id);

CREATE TABLE monitor_runs (
  id text PRIMARY KEY,
  monitor_id text NOT NULL REFERENCES monitors (id) ON DELETE CASCADE,
  team_id text NOT NULL,
  type text NOT NULL CHECK (type IN ('search', 'refresh')),
  status text NOT NULL CHECK (status IN ('created', 'running', 'completed', 'canceled', 'failed')),
  -- The slot it stands for; null when someone asked for it.
  slot_at timestamptz,
  -- The search of the webset that this run began.
  search_id text,
  -- How far a run that reads items' pages again has come: the sequence of the last item it is done with.
  position bigint NOT NULL DEFAULT 0,
  failed_reason text,
  canceled_reason text,
  completed_at timestamptz,
  failed_at timestamptz,
  canceled_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  UNIQUE (monitor_id, slot_at)
);

CREATE INDEX monitor_runs_by_monitor ON monitor_runs (monitor_id, id DESC);

-- A search repeated by itself, whose new results go to a webhook.
CREATE TABLE search_monitors (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  -- Whose rights a run has; null for a browser session or a server without keys.
  key_id text,
  name text,
  status text NOT NULL CHECK (status IN ('active', 'paused', 'disabled')),
  search jsonb NOT NULL,
  trigger jsonb,
  output_schema jsonb,
  metadata jsonb,
  -- The webhook that hears of it: see webhooks.resource_kind.
  webhook_id text NOT NULL,
  -- Null without a trigger, or while it rests. A job stands for this moment.
  next_run_at timestamptz,
  authentication_failures integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE INDEX search_monitors_by_team ON search_monitors (team_id, id DESC);

CREATE TABLE search_monitor_runs (
  id text PRIMARY KEY,
  monitor_id text NOT NULL REFERENCES search_monitors (id) ON DELETE CASCADE,
  status text NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed', 'cancelled')),
  output jsonb,
  fail_reason text,
  started_at timestamptz,
  completed_at timestamptz,
  failed_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE INDEX search_monitor_runs_by_monitor ON search_monitor_runs (monitor_id, id DESC);

-- What earlier runs have shown: a page is news once.
CREATE TABLE search_monitor_results (
  monitor_id text NOT NULL REFERENCES search_monitors (id) ON DELETE CASCADE,
  -- The address, or a fingerprint of the text where a page stands at several.
  key text NOT NULL,
  run_id text NOT NULL,
  PRIMARY KEY (monitor_id, key)
);

-- A file made of a webset. The rows of one moment are copied first, in one statement, and the file is written from
-- the copy: so it is a cut also while the webset runs, and a killed worker's successor writes the same file.
CREATE TABLE webset_exports (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  webset_id text NOT NULL REFERENCES websets (id) ON DELETE CASCADE,
  format text NOT NULL CHECK (format IN ('csv', 'json', 'jsonl', 'xlsx', 'parquet')),
  status text NOT NULL CHECK (status IN ('pending', 'processing', 'completed', 'failed')),
  -- Where the server was reached by whoever asked, for the address of the file.
  base_url text NOT NULL,
  -- Signs the addresses of this file, which need no key.
  download_secret bytea NOT NULL,
  -- The webset at the moment of the cut: its columns.
  header jsonb,
  count integer,
  -- The file lies in parts of some megabytes each.
  parts integer,
  bytes bigint,
  failed_message text,
  -- When the file is thrown away.
  kept_until timestamptz,
  job_id text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE INDEX webset_exports_by_webset ON webset_exports (webset_id, id DESC);
CREATE INDEX webset_exports_by_end ON webset_exports (kept_until) WHERE kept_until IS NOT NULL;

CREATE TABLE webset_export_rows (
  export_id text NOT NULL REFERENCES webset_exports (id) ON DELETE CASCADE,
  number integer NOT NULL,
  item jsonb NOT NULL,
  PRIMARY KEY (export_id, number)
);
