-- An agent run is a research run that was asked for in another form: `request` is that form, NULL for plain research.
-- Someone may ask a run to stop early with what it has; it then concludes at its next step.

ALTER TABLE research ADD COLUMN request jsonb;
ALTER TABLE research ADD COLUMN stop_asked_at timestamptz;

CREATE INDEX agent_runs_by_team ON research (team_id, id DESC) WHERE request IS NOT NULL;
