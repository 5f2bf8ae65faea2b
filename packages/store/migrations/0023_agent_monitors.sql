-- An agent monitor keeps fields of entities fresh. A refresh looks at every entity once: at those whose `refreshed_at` is before
-- the refresh's start, so that one added meanwhile, or never looked at, is part of it. Each change of a content has the monitor's
-- next version, which is the order of its feed of changes.

CREATE TABLE agent_monitors (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  cadence text NOT NULL,
  fields jsonb NOT NULL,
  version bigint NOT NULL DEFAULT 0,
  total_tokens bigint NOT NULL DEFAULT 0,
  refresh_tokens bigint NOT NULL DEFAULT 0,
  last_refresh_tokens bigint NOT NULL DEFAULT 0,
  refresh_started_at timestamptz,
  last_refresh_at timestamptz,
  next_refresh_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE INDEX agent_monitors_by_team ON agent_monitors (team_id, id DESC);

CREATE TABLE agent_monitor_entities (
  id text PRIMARY KEY,
  monitor_id text NOT NULL REFERENCES agent_monitors (id) ON DELETE CASCADE,
  sequence bigint GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  domain text NOT NULL,
  description text,
  refreshed_at timestamptz,
  updated_at timestamptz NOT NULL,
  UNIQUE (monitor_id, domain)
);

CREATE INDEX agent_monitor_entities_in_order ON agent_monitor_entities (monitor_id, sequence);

CREATE TABLE agent_monitor_contents (
  entity_id text NOT NULL REFERENCES agent_monitor_entities (id) ON DELETE CASCADE,
  field_id text NOT NULL,
  value jsonb NOT NULL,
  citations jsonb NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (entity_id, field_id)
);

CREATE TABLE agent_monitor_changes (
  monitor_id text NOT NULL REFERENCES agent_monitors (id) ON DELETE CASCADE,
  version bigint NOT NULL,
  entity_id text NOT NULL,
  field_id text NOT NULL,
  value jsonb NOT NULL,
  citations jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (monitor_id, version)
);

CREATE TABLE agent_monitor_backtests (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  request jsonb NOT NULL,
  start_time timestamptz NOT NULL,
  end_time timestamptz NOT NULL,
  status text NOT NULL CHECK (status IN ('running', 'completed', 'failed')),
  result jsonb,
  error text,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
