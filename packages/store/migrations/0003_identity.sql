-- Who may call: teams, their keys, browser sessions; and what they used.

CREATE TABLE teams (
  id text PRIMARY KEY,
  name text NOT NULL CHECK (name <> ''),
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE api_keys (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  name text NOT NULL CHECK (name <> ''),
  -- Who keeps the secret: 'api' people made it; 'environment' and 'local' are set
  -- anew by the server at its start, one row per name.
  origin text NOT NULL CHECK (origin IN ('api', 'environment', 'local')),
  -- SHA-256. Secrets are random and long, so no salt or slow hash is needed.
  secret_hash bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
  hint text NOT NULL,
  previous_secret_hash bytea CHECK (octet_length(previous_secret_hash) = 32),
  previous_secret_expires_at timestamptz,
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
  budget_dollars numeric CHECK (budget_dollars >= 0),
  -- Kept with every batch of usage_records, so that a budget needs no sum.
  spent_dollars numeric NOT NULL DEFAULT 0,
  rate_limit_per_second double precision CHECK (rate_limit_per_second > 0),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  CHECK ((previous_secret_hash IS NULL) = (previous_secret_expires_at IS NULL))
);

CREATE UNIQUE INDEX api_keys_secret ON api_keys (secret_hash);
CREATE UNIQUE INDEX api_keys_previous_secret ON api_keys (previous_secret_hash)
  WHERE previous_secret_hash IS NOT NULL;
CREATE UNIQUE INDEX api_keys_kept_by_server ON api_keys (team_id, origin, name) WHERE origin <> 'api';
CREATE INDEX api_keys_team ON api_keys (team_id, id);

CREATE TABLE sign_in_links (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  team_id text NOT NULL REFERENCES teams (id),
  -- The key the session will stand for; null for the link printed at the start.
  key_id text REFERENCES api_keys (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);

CREATE TABLE sessions (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  team_id text NOT NULL REFERENCES teams (id),
  key_id text REFERENCES api_keys (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE INDEX sessions_expiry ON sessions (expires_at);

-- One row per request that showed a key. No reference to api_keys: use is history.
CREATE TABLE usage_records (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  team_id text NOT NULL,
  key_id text,
  endpoint text NOT NULL,
  status smallint NOT NULL,
  latency_ms real NOT NULL,
  tokens bigint NOT NULL DEFAULT 0,
  cost_dollars numeric NOT NULL DEFAULT 0,
  at timestamptz NOT NULL
);

CREATE INDEX usage_records_team ON usage_records (team_id, at);

-- What was answered to a POST with an Idempotency-Key.
CREATE TABLE idempotent_requests (
  team_id text NOT NULL,
  route text NOT NULL,
  key_hash bytea NOT NULL CHECK (octet_length(key_hash) = 32),
  request_hash bytea NOT NULL CHECK (octet_length(request_hash) = 32),
  -- Stays the same when a retry goes on after a crash: what the request makes is named by it.
  operation_id text NOT NULL,
  lease_token text NOT NULL,
  lease_until timestamptz NOT NULL,
  reply_status smallint,
  reply_body bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (team_id, route, key_hash),
  CHECK ((reply_status IS NULL) = (reply_body IS NULL))
);

CREATE INDEX idempotent_requests_expiry ON idempotent_requests (expires_at);
