-- Crawls and their frontier: every URL a crawl knows of, and what became of it.

CREATE TABLE crawls (
  id text PRIMARY KEY,
  team_id text NOT NULL,
  -- queued, running, paused, completed, canceled, failed: see crawl-state.ts.
  status text NOT NULL CHECK (status IN ('queued', 'running', 'paused', 'completed', 'canceled', 'failed')),
  -- What was asked for, as the wire has it, defaults filled in.
  request jsonb NOT NULL,
  -- The job that works on it now; null while nobody should.
  job_id text,
  -- Kept with every page, in its transaction, so that progress needs no count.
  pages_queued integer NOT NULL DEFAULT 0,
  pages_done integer NOT NULL DEFAULT 0,
  pages_failed integer NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  -- Why it ended, or why it ended early: "max-pages", an error's sentence.
  reason text,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  finished_at timestamptz
);

CREATE INDEX crawls_team ON crawls (team_id, id DESC);

CREATE TABLE crawl_pages (
  crawl_id text NOT NULL REFERENCES crawls (id) ON DELETE CASCADE,
  url text NOT NULL,
  host text NOT NULL,
  depth integer NOT NULL,
  -- queued: to be visited at next_at. done: visited, with a status of fetch-page.ts. Never fetched again in this crawl.
  state text NOT NULL CHECK (state IN ('queued', 'done')),
  status text,
  message text,
  http_status smallint,
  attempts smallint NOT NULL DEFAULT 0,
  next_at timestamptz NOT NULL,
  -- The order of discovery, so that a crawl goes breadth first and alike each time.
  place bigint GENERATED ALWAYS AS IDENTITY,
  found_on text,
  final_url text,
  snapshot_id text,
  byte_length integer,
  done_at timestamptz,
  PRIMARY KEY (crawl_id, url),
  CHECK ((state = 'done') = (status IS NOT NULL AND done_at IS NOT NULL))
);

CREATE INDEX crawl_pages_next ON crawl_pages (crawl_id, depth, place) WHERE state = 'queued';
CREATE INDEX crawl_pages_done ON crawl_pages (crawl_id, status, done_at) WHERE state = 'done';
