-- The job queue. States and moves are described in src/jobs/job-state.ts.

CREATE TABLE jobs (
  id text PRIMARY KEY,
  -- Breaks ties, so that jobs of one transaction run in the order they were added.
  sequence bigint GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL CHECK (kind <> ''),
  team_id text,
  payload jsonb NOT NULL,
  state text NOT NULL
    CHECK (state IN ('scheduled', 'queued', 'blocked', 'running', 'completed', 'dead', 'canceled')),
  priority integer NOT NULL,
  run_at timestamptz NOT NULL,
  concurrency_key text,
  max_per_key integer CHECK (max_per_key >= 1),
  dedupe_key text,
  -- The cron slot the job stands for.
  schedule_name text,
  slot_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  max_attempts integer NOT NULL CHECK (max_attempts >= 1),
  lease_token uuid,
  lease_expires_at timestamptz,
  worker_id text,
  cancel_requested_at timestamptz,
  progress jsonb,
  error_code text,
  error_message text,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- When the job was claimed for the first time.
  started_at timestamptz,
  finished_at timestamptz,
  CHECK ((concurrency_key IS NULL) = (max_per_key IS NULL)),
  CHECK ((schedule_name IS NULL) = (slot_at IS NULL)),
  CHECK ((state = 'running') = (lease_token IS NOT NULL)),
  CHECK ((lease_token IS NULL) = (lease_expires_at IS NULL)),
  CHECK ((state IN ('completed', 'dead', 'canceled')) = (finished_at IS NOT NULL))
) WITH (
  -- Room for heartbeats, which change no indexed column, to stay on their page.
  fillfactor = 80,
  -- A queue turns over its rows: what is dead must not pile up in front of the next job.
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 500,
  autovacuum_analyze_scale_factor = 0.05
);

-- Each waiting or running job stands in one of these, so that a move writes few entries.
CREATE INDEX jobs_queued ON jobs (kind, (coalesce(team_id, '')), priority DESC, run_at, sequence)
  WHERE state = 'queued';
CREATE INDEX jobs_scheduled ON jobs (run_at) WHERE state = 'scheduled';
CREATE INDEX jobs_leased ON jobs ((coalesce(team_id, ''))) WHERE lease_token IS NOT NULL;
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE state IN ('completed', 'dead', 'canceled');
CREATE INDEX jobs_keyed ON jobs (concurrency_key, state, priority DESC, run_at, sequence)
  WHERE concurrency_key IS NOT NULL AND state IN ('queued', 'blocked', 'running');

-- One job per dedupe key among those that never started.
CREATE UNIQUE INDEX jobs_dedupe ON jobs (kind, coalesce(team_id, ''), dedupe_key)
  WHERE dedupe_key IS NOT NULL AND started_at IS NULL AND state IN ('scheduled', 'queued', 'blocked');

CREATE UNIQUE INDEX jobs_slot ON jobs (schedule_name, slot_at) WHERE schedule_name IS NOT NULL;

-- A concurrency key that has blocked jobs. Only claim_jobs writes here.
CREATE TABLE job_lanes (
  concurrency_key text PRIMARY KEY,
  -- The next claim must see whether the key has room: none of its jobs is queued.
  waiting boolean NOT NULL
);

CREATE INDEX job_lanes_waiting ON job_lanes (concurrency_key) WHERE waiting;

-- Cron jobs: each slot that comes due becomes one row of jobs.
CREATE TABLE job_schedules (
  name text PRIMARY KEY CHECK (name <> ''),
  kind text NOT NULL CHECK (kind <> ''),
  team_id text,
  payload jsonb NOT NULL,
  pattern text NOT NULL,
  time_zone text NOT NULL,
  concurrency_key text,
  max_per_key integer CHECK (max_per_key >= 1),
  priority integer NOT NULL,
  max_attempts integer NOT NULL CHECK (max_attempts >= 1),
  -- Null when the pattern has no slot left.
  next_slot_at timestamptz,
  last_slot_at timestamptz,
  CHECK ((concurrency_key IS NULL) = (max_per_key IS NULL))
);

CREATE INDEX job_schedules_due ON job_schedules (next_slot_at);

-- Tells every runner that has a handler for one of these kinds to look again.
CREATE FUNCTION wake_job_runners(kinds text[]) RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify('quarry_jobs', 'wake:' || kind) FROM (SELECT DISTINCT unnest(kinds) AS kind) AS woken
$$;

-- The next three functions keep their plans for the life of a connection, whatever the
-- statistics, which for a queue are always out of date. So each statement is written
-- for the one index that serves it: no joins, rows by an array of ids, and no test of
-- a state beside those ids (a partial index on that state would look as good, while
-- the table is small).

-- Queues as many blocked jobs as their keys have room for; returns the ids. For claim_jobs.
CREATE FUNCTION unblock_jobs() RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  moved_ids text[];
  moved_keys text[];
BEGIN
  SELECT array_agg(job.id) INTO moved_ids
  FROM job_lanes AS lane CROSS JOIN LATERAL (
    SELECT max_per_key FROM jobs WHERE concurrency_key = lane.concurrency_key AND state = 'blocked'
    ORDER BY priority DESC, run_at, sequence LIMIT 1
  ) AS head CROSS JOIN LATERAL (
    -- Apart: before PostgreSQL 17 a list of states would be looked for among all jobs of the key.
    SELECT (
      SELECT count(*) FROM jobs WHERE concurrency_key = lane.concurrency_key AND state = 'running'
    ) + (
      SELECT count(*) FROM (
        SELECT FROM jobs WHERE concurrency_key = lane.concurrency_key AND state = 'queued'
        ORDER BY priority DESC, run_at, sequence LIMIT head.max_per_key
      ) AS queued
    ) AS count
  ) AS ahead CROSS JOIN LATERAL (
    SELECT id FROM jobs WHERE concurrency_key = lane.concurrency_key AND state = 'blocked'
    ORDER BY priority DESC, run_at, sequence LIMIT greatest(head.max_per_key - ahead.count, 0) FOR UPDATE SKIP LOCKED
  ) AS job
  WHERE lane.waiting;

  WITH moved AS (
    UPDATE jobs SET state = 'queued' WHERE id = ANY (moved_ids) RETURNING concurrency_key
  )
  SELECT array_agg(concurrency_key) INTO moved_keys FROM moved;
  UPDATE job_lanes SET waiting = false WHERE concurrency_key = ANY (moved_keys);
  DELETE FROM job_lanes AS lane WHERE waiting AND (
    SELECT true FROM jobs WHERE concurrency_key = lane.concurrency_key AND state = 'blocked' LIMIT 1
  ) IS NULL;
  RETURN moved_ids;
END
$$;

-- Moves the queued jobs of full keys out of the way of later claims; says whether
-- some are left. For claim_jobs.
CREATE FUNCTION block_jobs(full_keys text[]) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  most_moved CONSTANT integer := 500;
  moved integer;
BEGIN
  UPDATE jobs SET state = 'blocked' WHERE id = ANY (ARRAY(
    SELECT job.id FROM unnest(full_keys) AS full_key CROSS JOIN LATERAL (
      SELECT id FROM jobs WHERE concurrency_key = full_key AND state = 'queued'
      ORDER BY priority DESC, run_at, sequence LIMIT most_moved FOR UPDATE SKIP LOCKED
    ) AS job
    LIMIT most_moved
  ));
  GET DIAGNOSTICS moved = ROW_COUNT;
  INSERT INTO job_lanes SELECT unnest(full_keys), true
    ON CONFLICT (concurrency_key) DO UPDATE SET waiting = true;
  RETURN moved = most_moved;
END
$$;

-- Takes up to `wanted` due jobs of the given kinds and leases them to the worker.
-- Higher priority goes first; then the team that has fewer running, by chance among
-- equals, so that nobody's thousand jobs hold up another's one; then what is older.
-- `due_at` is what "due" is measured by: now, unless a test has its own clock; leases
-- always go by the database's.
--
-- One claim at a time: the lock is held for this one statement, which waits neither
-- for the disk (see below) nor, by SKIP LOCKED, for a row. Counting the running jobs
-- of a key is exact because of it.
CREATE FUNCTION claim_jobs(
  wanted_kinds text[], worker text, wanted integer, lease_ms double precision, due_at timestamptz
) RETURNS SETOF jobs LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  most_due CONSTANT integer := 500;
  most_rounds CONSTANT integer := 5;
  wider_look CONSTANT integer := 50;
  claimed integer := 0;
  seen text[] := '{}'; -- candidates of earlier rounds: those still queued are locked by someone
  full_keys text[] := '{}';
  moved_ids text[]; -- what became queued in here, for others if not for us
  round_ids text[];
  round_allowed text[];
  round_full_keys text[];
  round_keys text[];
  round_claimed integer;
  unfinished boolean := false; -- there may be more to claim than was looked at
BEGIN
  -- A claim that a crash of the server forgets is a job that is still queued; the
  -- worker that held it can complete it no more, for its token is not there.
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM pg_advisory_xact_lock(7700, 2);

  SELECT array_agg(id) INTO moved_ids FROM (
    SELECT id FROM jobs WHERE state = 'scheduled' AND run_at <= due_at
    ORDER BY run_at LIMIT most_due FOR UPDATE SKIP LOCKED
  ) AS due;
  IF moved_ids IS NOT NULL THEN
    UPDATE jobs SET state = 'queued' WHERE id = ANY (moved_ids);
  END IF;

  FOR round IN 1..most_rounds LOOP
    IF EXISTS (SELECT FROM job_lanes WHERE waiting) THEN
      moved_ids := moved_ids || unblock_jobs();
    END IF;

    WITH RECURSIVE line AS ( -- each kind and team that has queued jobs, found by leaps through the index
      SELECT wanted_kind AS kind, (
        SELECT coalesce(team_id, '') FROM jobs WHERE state = 'queued' AND kind = wanted_kind
        ORDER BY coalesce(team_id, '') LIMIT 1
      ) AS team FROM unnest(wanted_kinds) AS wanted_kind
      UNION ALL
      SELECT line.kind, (
        SELECT coalesce(team_id, '') FROM jobs
        WHERE state = 'queued' AND kind = line.kind AND coalesce(team_id, '') > line.team
        ORDER BY coalesce(team_id, '') LIMIT 1
      ) FROM line WHERE team IS NOT NULL
    ), turn AS MATERIALIZED (
      SELECT team, random() AS luck, CASE WHEN count(*) OVER () = 1 THEN 0 ELSE (
          SELECT count(*) FROM jobs WHERE lease_token IS NOT NULL AND coalesce(team_id, '') = team
        ) END AS running
      FROM (SELECT DISTINCT team FROM line WHERE team IS NOT NULL) AS waiting
    ), candidate AS MATERIALIZED (
      SELECT id, concurrency_key, max_per_key, row_number() OVER (ORDER BY priority DESC, share, luck) AS place
      FROM (
        SELECT job.*, turn.luck, turn.running
          + row_number() OVER (PARTITION BY turn.team ORDER BY priority DESC, run_at, sequence) AS share
        FROM turn JOIN line ON line.team = turn.team CROSS JOIN LATERAL (
          SELECT id, concurrency_key, max_per_key, priority, run_at, sequence FROM jobs
          WHERE state = 'queued' AND kind = line.kind AND coalesce(team_id, '') = line.team
          ORDER BY priority DESC, run_at, sequence
          LIMIT CASE round WHEN 1 THEN wanted ELSE wanted + wider_look END
        ) AS job
        WHERE id <> ALL (seen) AND (concurrency_key IS NULL OR concurrency_key <> ALL (full_keys))
      ) AS first_in_line
      ORDER BY priority DESC, share, luck
      LIMIT CASE round WHEN 1 THEN wanted ELSE wanted + wider_look END
    ), placed AS MATERIALIZED (
      SELECT *, CASE WHEN concurrency_key IS NULL THEN true ELSE max_per_key >= (
          SELECT count(*) FROM jobs WHERE concurrency_key = candidate.concurrency_key AND state = 'running'
        ) + row_number() OVER (PARTITION BY concurrency_key ORDER BY place)
      END AS allowed
      FROM candidate
    )
    SELECT array_agg(id), array_agg(DISTINCT concurrency_key) FILTER (WHERE NOT allowed),
      array_agg(concurrency_key) FILTER (WHERE allowed AND concurrency_key IS NOT NULL),
      ARRAY(SELECT id FROM placed WHERE allowed ORDER BY place LIMIT wanted - claimed)
    INTO round_ids, round_full_keys, round_keys, round_allowed FROM placed;
    EXIT WHEN round_ids IS NULL;

    RETURN QUERY
      WITH locked AS MATERIALIZED (
        SELECT id, state FROM jobs WHERE id = ANY (round_allowed) FOR UPDATE SKIP LOCKED
      )
      UPDATE jobs SET
        state = 'running', attempts = attempts + 1, worker_id = worker, lease_token = gen_random_uuid(),
        lease_expires_at = now() + lease_ms * interval '1 millisecond', started_at = coalesce(started_at, now())
      WHERE id = ANY (ARRAY(SELECT id FROM locked WHERE state = 'queued')) -- not canceled meanwhile
      RETURNING *;
    GET DIAGNOSTICS round_claimed = ROW_COUNT;

    claimed := claimed + round_claimed;
    seen := seen || round_ids;
    IF round_full_keys IS NOT NULL THEN
      full_keys := full_keys || round_full_keys;
      unfinished := block_jobs(round_full_keys) OR unfinished;
    END IF;
    IF round_keys IS NOT NULL THEN
      UPDATE job_lanes SET waiting = true WHERE concurrency_key = ANY (round_keys) AND NOT waiting;
    END IF;
    EXIT WHEN claimed >= wanted;
    unfinished := unfinished OR round = most_rounds;
  END LOOP;

  IF unfinished THEN
    PERFORM wake_job_runners(wanted_kinds);
  ELSIF moved_ids IS NOT NULL THEN
    PERFORM wake_job_runners(array_agg(kind) FILTER (WHERE state = 'queued')) FROM jobs WHERE id = ANY (moved_ids);
  END IF;
END
$$;

-- Finds keys whose blocked jobs no claim would look at: their queued job was
-- canceled, or (looked for only when `thorough`) they came from elsewhere, such as a
-- backup. A claim sees to them next.
CREATE FUNCTION recheck_job_lanes(thorough boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  changed_keys text[];
BEGIN
  PERFORM pg_advisory_xact_lock(7700, 2);
  IF thorough THEN
    INSERT INTO job_lanes SELECT DISTINCT concurrency_key, false FROM jobs
      WHERE concurrency_key IS NOT NULL AND state = 'blocked'
      ON CONFLICT DO NOTHING;
  END IF;
  WITH changed AS (
    UPDATE job_lanes AS lane SET waiting = true WHERE NOT waiting AND NOT EXISTS (
      SELECT FROM jobs WHERE concurrency_key = lane.concurrency_key AND state = 'queued'
    )
    RETURNING concurrency_key
  )
  SELECT array_agg(concurrency_key) INTO changed_keys FROM changed;
  PERFORM wake_job_runners(array_agg(head.kind)) FROM unnest(changed_keys) AS changed_key CROSS JOIN LATERAL (
    SELECT kind FROM jobs WHERE concurrency_key = changed_key AND state = 'blocked'
    ORDER BY priority DESC, run_at, sequence LIMIT 1
  ) AS head;
END
$$;
