-- Tool calls: the sessions they belong to, the questions asked about them, the rules saved, and the log of all.

CREATE TABLE tool_sessions (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  -- How a client calls it (its composer or conversation id); null for one known by its id alone.
  name text,
  workspace_root text NOT NULL DEFAULT '',
  mode text NOT NULL DEFAULT 'agent' CHECK (mode IN ('agent', 'plan', 'ask')),
  todos jsonb NOT NULL DEFAULT '[]',
  terminals jsonb NOT NULL DEFAULT '[]',
  -- The number of the last result; a client that comes back asks for what came after the one it saw.
  last_sequence bigint NOT NULL DEFAULT 0,
  -- The id of the last InteractionQuery; they count per session because the wire gives them 32 bits.
  last_query bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  closed_at timestamptz
);

CREATE UNIQUE INDEX tool_sessions_name ON tool_sessions (team_id, name) WHERE name IS NOT NULL AND closed_at IS NULL;
CREATE INDEX tool_sessions_team ON tool_sessions (team_id, id);

-- One row per tool_call_id of a session: the same id again is the same call.
CREATE TABLE tool_calls (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  session_id text NOT NULL REFERENCES tool_sessions (id) ON DELETE CASCADE,
  tool_call_id text NOT NULL,
  tool text NOT NULL,
  -- As asked for, and its hash; what runs may have been edited by a person.
  args jsonb NOT NULL,
  args_hash text NOT NULL,
  run_args jsonb NOT NULL,
  state text NOT NULL
    CHECK (state IN ('awaiting-approval', 'running', 'succeeded', 'failed', 'rejected', 'cancelled')),
  -- Why it may run: the rule that allowed it, or the approval that granted it.
  allowed_by text,
  caller text NOT NULL,
  is_internal boolean NOT NULL,
  outcome jsonb,
  sequence bigint,
  -- Who runs it; a call whose lease ran out was left by a process that died.
  runner_id text,
  lease_until timestamptz,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  ended_at timestamptz,
  UNIQUE (session_id, tool_call_id),
  CHECK ((state IN ('succeeded', 'failed', 'rejected', 'cancelled')) = (outcome IS NOT NULL)),
  CHECK ((state = 'running') = (lease_until IS NOT NULL)),
  CHECK (state <> 'running' OR allowed_by IS NOT NULL)
);

CREATE INDEX tool_calls_sequence ON tool_calls (session_id, sequence) WHERE sequence IS NOT NULL;
CREATE INDEX tool_calls_lease ON tool_calls (lease_until) WHERE state = 'running';

CREATE TABLE tool_approvals (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  session_id text NOT NULL REFERENCES tool_sessions (id) ON DELETE CASCADE,
  call_id text NOT NULL UNIQUE REFERENCES tool_calls (id) ON DELETE CASCADE,
  tool_call_id text NOT NULL,
  tool text NOT NULL,
  -- InteractionQuery.id, unique in the session.
  query_number bigint NOT NULL,
  args jsonb NOT NULL,
  args_hash text NOT NULL,
  -- What is asked: reasons, risk, hosts, paths, diff, and the rule an "always" would save.
  question jsonb NOT NULL,
  is_internal boolean NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'granted', 'used', 'rejected', 'expired', 'withdrawn')),
  decision text CHECK (decision IN ('once', 'session', 'always', 'reject', 'abort')),
  reason text,
  -- HumanReview of the answer.
  review jsonb,
  edited_args jsonb,
  answered_by text,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  answered_at timestamptz,
  used_at timestamptz,
  CHECK ((state = 'used') = (used_at IS NOT NULL)),
  CHECK (state <> 'used' OR decision IN ('once', 'session', 'always'))
);

CREATE INDEX tool_approvals_team ON tool_approvals (team_id, id);
CREATE UNIQUE INDEX tool_approvals_query ON tool_approvals (session_id, query_number);
CREATE INDEX tool_approvals_open ON tool_approvals (expires_at) WHERE state IN ('pending', 'granted');

-- Rules made by answers: "session" ones end with it, "always" ones stay.
CREATE TABLE tool_rules (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  session_id text REFERENCES tool_sessions (id) ON DELETE CASCADE,
  rule jsonb NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE INDEX tool_rules_team ON tool_rules (team_id, session_id);

-- Text a person wanted said to the agent, until its session has been told.
CREATE TABLE tool_messages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session_id text NOT NULL REFERENCES tool_sessions (id) ON DELETE CASCADE,
  text text NOT NULL,
  created_at timestamptz NOT NULL,
  delivered_at timestamptz
);

CREATE INDEX tool_messages_waiting ON tool_messages (session_id, id) WHERE delivered_at IS NULL;

-- The audit log. Each hash covers the one before, the number and the entry's very text,
-- so that a changed, missing or swapped entry shows.
CREATE TABLE tool_audit (
  team_id text NOT NULL REFERENCES teams (id),
  sequence bigint NOT NULL,
  entry text NOT NULL,
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  PRIMARY KEY (team_id, sequence)
);

CREATE TABLE tool_audit_heads (
  team_id text PRIMARY KEY REFERENCES teams (id),
  sequence bigint NOT NULL,
  hash bytea NOT NULL
);

CREATE FUNCTION append_tool_audit(team text, new_entry text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  head tool_audit_heads;
BEGIN
  INSERT INTO tool_audit_heads (team_id, sequence, hash) VALUES (team, 0, decode(repeat('00', 32), 'hex'))
    ON CONFLICT (team_id) DO NOTHING;
  UPDATE tool_audit_heads
    SET sequence = sequence + 1,
        hash = sha256(hash || convert_to((sequence + 1)::text || E'\n' || new_entry, 'UTF8'))
    WHERE team_id = team RETURNING * INTO head;
  INSERT INTO tool_audit (team_id, sequence, entry, hash) VALUES (team, head.sequence, new_entry, head.hash);
  RETURN head.sequence;
END
$$;
