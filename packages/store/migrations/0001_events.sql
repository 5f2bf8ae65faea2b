-- The append-only event log: what became of anything. Each row is written in the
-- transaction of the change it tells of.
CREATE TABLE events (
  id text PRIMARY KEY,
  team_id text NOT NULL,
  type text NOT NULL CHECK (type <> ''),
  resource_kind text NOT NULL CHECK (resource_kind <> ''),
  resource_id text NOT NULL CHECK (resource_id <> ''),
  -- The order of the log. Numbers are handed out before the commit, so a lower one
  -- may appear later; a reader that must miss none asks for settled events, those of
  -- transactions older than any still open (transaction_id, below).
  sequence bigint GENERATED ALWAYS AS IDENTITY,
  data jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Means something in this cluster only: backups leave it out, a restore writes its own.
  transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id()
);

CREATE UNIQUE INDEX events_sequence ON events (sequence);
CREATE INDEX events_team ON events (team_id, sequence);
CREATE INDEX events_team_type ON events (team_id, type, sequence);
CREATE INDEX events_resource ON events (team_id, resource_kind, resource_id, sequence);

CREATE FUNCTION refuse_event_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'events are append-only: % is refused', TG_OP;
END
$$;

CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_event_change();

-- The payload is the team's id; equal ones of a transaction arrive once.
CREATE FUNCTION notify_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('quarry_events', NEW.team_id);
  RETURN NULL;
END
$$;

CREATE TRIGGER events_notify AFTER INSERT ON events
  FOR EACH ROW EXECUTE FUNCTION notify_event();
