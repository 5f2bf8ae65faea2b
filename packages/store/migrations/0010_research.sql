-- A research task and what became of it. The run is its events: a worker reads them, does the next operation, and
-- appends what came of it in one transaction, so that a killed run goes on where it was. `memory` is what the run must
-- remember of an event and the wire does not show: quotes with their places, tokens used.

CREATE TABLE research (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  key_id text,
  model text NOT NULL,
  instructions text NOT NULL,
  output_schema jsonb,
  status text NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'canceled', 'failed')),
  output jsonb,
  error text,
  job_id text,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  finished_at timestamptz
);

CREATE INDEX research_by_team ON research (team_id, id DESC);

CREATE TABLE research_events (
  research_id text NOT NULL REFERENCES research (id) ON DELETE CASCADE,
  number int NOT NULL,
  event jsonb NOT NULL,
  memory jsonb,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (research_id, number)
);
