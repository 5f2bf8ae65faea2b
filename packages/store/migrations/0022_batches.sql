-- A batch is many requests that are done in the background, slowly and one after the other; each keeps what it was
-- answered. A request for an agent run is `running` until that run has ended; `run_id` is given to it when the batch is made,
-- so that a try after a crash begins no second run.

CREATE TABLE batches (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  key_id text,
  status text NOT NULL CHECK (status IN ('in_progress', 'completed', 'cancelling', 'cancelled')),
  metadata jsonb,
  total int NOT NULL,
  completed int NOT NULL DEFAULT 0,
  failed int NOT NULL DEFAULT 0,
  results_secret bytea NOT NULL,
  created_at timestamptz NOT NULL,
  ended_at timestamptz,
  expires_at timestamptz
);

CREATE INDEX batches_by_team ON batches (team_id, id DESC);
CREATE INDEX batches_by_expiry ON batches (team_id, expires_at, id) WHERE status = 'completed';

CREATE TABLE batch_requests (
  batch_id text NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
  number int NOT NULL,
  custom_id text NOT NULL,
  url text NOT NULL CHECK (url IN ('/search', '/agent/runs')),
  body jsonb NOT NULL,
  run_id text,
  status text NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed')),
  tries int NOT NULL DEFAULT 0,
  response jsonb,
  error jsonb,
  PRIMARY KEY (batch_id, number)
);

CREATE INDEX open_batch_requests ON batch_requests (batch_id, status, number) WHERE status IN ('pending', 'running');
