-- Webhooks: events told to addresses of the team's choice. The log is the outbox: a trigger writes one delivery for each
-- webhook that wants an event, in the transaction of that event, so that none is lost and none told of what never was.

CREATE TABLE webhooks (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  url text NOT NULL,
  events text[] NOT NULL CHECK (cardinality(events) >= 1),
  metadata jsonb NOT NULL,
  -- Inactive: hears of nothing new. What was queued before is still delivered, unless the receiver said 410.
  status text NOT NULL CHECK (status IN ('active', 'inactive')),
  -- As they are: signing needs them whole.
  secret text NOT NULL,
  previous_secret text,
  previous_secret_until timestamptz,
  -- Set for one that belongs to a resource (a search monitor): it hears of that alone, and stands in no list.
  resource_kind text,
  resource_id text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CHECK ((resource_kind IS NULL) = (resource_id IS NULL)),
  CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL))
);

CREATE INDEX webhooks_by_team ON webhooks (team_id, id DESC);

-- One event on its way to one webhook. States and moves are described in src/webhooks/delivery-state.ts.
CREATE TABLE webhook_deliveries (
  webhook_id text NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event_id text NOT NULL,
  event_type text NOT NULL,
  -- The resource the event is about: deliveries of one lane keep the order of the log.
  lane text NOT NULL,
  sequence bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'behind', 'sending', 'delivered', 'dead')),
  due_at timestamptz NOT NULL,
  -- Of this round: a replay begins at 0 again.
  attempts integer NOT NULL DEFAULT 0,
  lease_token uuid,
  lease_expires_at timestamptz,
  -- What the last attempt lacked.
  error text,
  created_at timestamptz NOT NULL,
  finished_at timestamptz,
  PRIMARY KEY (webhook_id, event_id),
  CHECK ((state = 'sending') = (lease_token IS NOT NULL)),
  CHECK ((lease_token IS NULL) = (lease_expires_at IS NULL)),
  CHECK ((state IN ('delivered', 'dead')) = (finished_at IS NOT NULL))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at, sequence) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (webhook_id, lane, sequence)
  WHERE state IN ('waiting', 'behind', 'sending');
CREATE INDEX webhook_deliveries_leased ON webhook_deliveries (lease_expires_at) WHERE state = 'sending';
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, sequence DESC);

-- Every try, also test events, which have no delivery.
CREATE TABLE webhook_attempts (
  id text PRIMARY KEY,
  webhook_id text NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event_id text NOT NULL,
  event_type text NOT NULL,
  url text NOT NULL,
  successful boolean NOT NULL,
  -- 0 without an answer.
  status_code integer NOT NULL,
  headers jsonb NOT NULL,
  body text,
  error text,
  attempt integer NOT NULL,
  attempted_at timestamptz NOT NULL,
  duration_ms integer NOT NULL
);

CREATE INDEX webhook_attempts_by_webhook ON webhook_attempts (webhook_id, attempted_at DESC, id DESC);
CREATE INDEX webhook_attempts_by_age ON webhook_attempts (attempted_at);

CREATE FUNCTION queue_webhook_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, lane, sequence, state, due_at, created_at)
  SELECT hook.id, added.id, added.type, added.resource_kind || ':' || added.resource_id, added.sequence, 'waiting',
    added.created_at, added.created_at
  FROM added JOIN webhooks AS hook ON hook.team_id = added.team_id
  WHERE hook.status = 'active' AND added.type = ANY (hook.events) AND CASE WHEN hook.resource_id IS NULL
    THEN added.resource_kind <> 'search_monitor' -- those have webhooks of their own
    ELSE added.resource_kind = hook.resource_kind AND added.resource_id = hook.resource_id END;
  IF FOUND THEN
    PERFORM pg_notify('quarry_webhooks', '');
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER events_queue_deliveries AFTER INSERT ON events
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION queue_webhook_deliveries();

-- Takes up to `wanted` deliveries of a webhook that are due and first of their lane, and leases them. One claim or
-- settlement of a webhook at a time: the row lock (which inserts of deliveries do not wait for) makes "first" certain.
CREATE FUNCTION claim_webhook_deliveries(hook text, wanted integer, lease_ms double precision, due_by timestamptz)
RETURNS SETOF webhook_deliveries LANGUAGE plpgsql AS $$
DECLARE
  looked_at CONSTANT integer := 200;
  first_ids text[];
  behind_ids text[];
BEGIN
  PERFORM FROM webhooks WHERE id = hook FOR NO KEY UPDATE;
  LOOP
    SELECT array_agg(id ORDER BY due_at, sequence) FILTER (WHERE NOT is_behind), array_agg(id) FILTER (WHERE is_behind)
    INTO first_ids, behind_ids FROM (
      SELECT due.event_id AS id, due.due_at, due.sequence, EXISTS (
        SELECT FROM webhook_deliveries AS earlier
        WHERE earlier.webhook_id = hook AND earlier.lane = due.lane AND earlier.sequence < due.sequence
          AND earlier.state IN ('waiting', 'behind', 'sending')
      ) AS is_behind
      FROM webhook_deliveries AS due
      WHERE due.webhook_id = hook AND due.state = 'waiting' AND due.due_at <= due_by
      ORDER BY due.due_at, due.sequence LIMIT looked_at
    ) AS candidate;
    -- Out of the way of later claims, until the one before it is done with.
    UPDATE webhook_deliveries SET state = 'behind' WHERE webhook_id = hook AND event_id = ANY (behind_ids);
    EXIT WHEN first_ids IS NOT NULL OR behind_ids IS NULL;
  END LOOP;
  RETURN QUERY
    UPDATE webhook_deliveries SET
      state = 'sending', lease_token = gen_random_uuid(),
      lease_expires_at = clock_timestamp() + lease_ms * interval '1 millisecond'
    WHERE webhook_id = hook AND event_id = ANY (first_ids[:wanted])
    RETURNING *;
END
$$;

-- Writes down what became of a leased delivery; false when the lease was lost. The next of its lane goes on when this
-- one is done with.
CREATE FUNCTION settle_webhook_delivery(
  hook text, event text, lease uuid, next_state text, next_due_at timestamptz, why text, at timestamptz
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  settled_lane text;
BEGIN
  PERFORM FROM webhooks WHERE id = hook FOR NO KEY UPDATE;
  UPDATE webhook_deliveries SET
    state = next_state, due_at = next_due_at, error = why, attempts = attempts + 1,
    lease_token = NULL, lease_expires_at = NULL,
    finished_at = CASE WHEN next_state IN ('delivered', 'dead') THEN at END
  WHERE webhook_id = hook AND event_id = event AND lease_token = lease
  RETURNING lane INTO settled_lane;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF next_state IN ('delivered', 'dead') THEN
    UPDATE webhook_deliveries SET state = 'waiting', due_at = at
    WHERE webhook_id = hook AND event_id = (
      SELECT event_id FROM webhook_deliveries
      WHERE webhook_id = hook AND lane = settled_lane AND state IN ('waiting', 'behind', 'sending')
      ORDER BY sequence LIMIT 1
    ) AND state = 'behind';
  END IF;
  RETURN true;
END
$$;

-- Who writes events says from where on its numbers will be, before it gets the first, by a lock whose key holds that
-- number and which ends with the transaction. Below the lowest of these nothing can appear any more: a reader that goes
-- on from its place for ever reads up to there. (A transaction's own number would not do: it may be older than its
-- first event.)
CREATE FUNCTION announce_event_writer() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  settled bigint;
BEGIN
  IF coalesce(current_setting('quarry.event_writer', true), '') <> '' THEN
    RETURN NULL; -- announced already, with a lower number
  END IF;
  SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END INTO settled FROM events_sequence_seq;
  PERFORM pg_advisory_xact_lock_shared((7701::bigint << 44) | settled);
  PERFORM set_config('quarry.event_writer', settled::text, true);
  RETURN NULL;
END
$$;

CREATE TRIGGER events_announce_writer BEFORE INSERT ON events
  FOR EACH STATEMENT EXECUTE FUNCTION announce_event_writer();

-- A page that is read again and again; a change of its text is an event.
CREATE TABLE page_monitors (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  url text NOT NULL,
  status text NOT NULL CHECK (status IN ('enabled', 'disabled')),
  every_minutes integer NOT NULL CHECK (every_minutes >= 1),
  metadata jsonb NOT NULL,
  -- The text it had when it was last read; null until then. Cited, so that retention keeps it.
  snapshot_id text,
  extractor_version text,
  checked_at timestamptz,
  changed_at timestamptz,
  checks integer NOT NULL DEFAULT 0,
  changes integer NOT NULL DEFAULT 0,
  -- Why it could not be read the last time.
  error text,
  -- A job stands for this moment; one for another moment is out of date. Null while disabled.
  next_check_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CHECK ((snapshot_id IS NULL) = (extractor_version IS NULL)),
  CHECK ((status = 'enabled') = (next_check_at IS NOT NULL))
);

CREATE INDEX page_monitors_by_team ON page_monitors (team_id, id DESC);
