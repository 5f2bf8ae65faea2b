-- A workflow is a task of named steps. What a step came to is kept under its name, so that a task that was killed runs
-- through the steps it has done without doing them again. `made` lists what the task set going elsewhere (websets,
-- research), for the one who cancels it.

CREATE TABLE workflow_tasks (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  workflow text NOT NULL,
  args jsonb NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'working', 'completed', 'failed', 'cancelled')),
  progress jsonb NOT NULL,
  partial_result jsonb,
  result jsonb,
  error jsonb,
  made jsonb NOT NULL DEFAULT '[]',
  job_id text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  finished_at timestamptz,
  expires_at timestamptz
);

CREATE INDEX workflow_tasks_by_team ON workflow_tasks (team_id, id DESC);
CREATE INDEX workflow_tasks_active ON workflow_tasks (team_id) WHERE status IN ('pending', 'working');

CREATE TABLE workflow_steps (
  task_id text NOT NULL REFERENCES workflow_tasks (id) ON DELETE CASCADE,
  name text NOT NULL,
  number int NOT NULL,
  result jsonb,
  started_at timestamptz NOT NULL,
  finished_at timestamptz NOT NULL,
  PRIMARY KEY (task_id, name)
);

-- What a repeated workflow saw the last time, under the name its owner gave it.
CREATE TABLE workflow_memories (
  team_id text NOT NULL REFERENCES teams (id),
  name text NOT NULL,
  task_id text NOT NULL,
  value jsonb NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (team_id, name)
);
