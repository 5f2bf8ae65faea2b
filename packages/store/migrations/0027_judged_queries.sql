-- Queries whose good results a team has named, and what each round of asking them measured: whether a change of the index or of
-- the ranking helped shows over time.

CREATE TABLE judged_queries (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  query text NOT NULL,
  judgments jsonb NOT NULL,
  updated_at timestamptz NOT NULL,
  UNIQUE (team_id, query)
);

CREATE TABLE judged_runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  queries int NOT NULL,
  figures jsonb NOT NULL,
  ran_at timestamptz NOT NULL
);

CREATE INDEX judged_runs_by_team ON judged_runs (team_id, id DESC);
