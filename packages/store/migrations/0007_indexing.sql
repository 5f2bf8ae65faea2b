-- What the indexer needs beside the outbox: pages that wait for their vectors, vectors that need not be computed again,
-- and the tasks people give it.

-- Documents whose words the index has, and whose vectors it has not; one row each.
CREATE TABLE embedding_outbox (
  team_id text NOT NULL,
  url text NOT NULL,
  version bigint NOT NULL,
  queued_at timestamptz NOT NULL,
  PRIMARY KEY (team_id, url)
);

CREATE INDEX embedding_outbox_order ON embedding_outbox (version);

-- Which passages a document was cut into when its vectors went to the index.
CREATE TABLE document_passages (
  team_id text NOT NULL,
  url text NOT NULL,
  version bigint NOT NULL,
  model text NOT NULL,
  -- SHA-256 of each passage, in the order of the text.
  hashes bytea[] NOT NULL,
  PRIMARY KEY (team_id, url)
);

-- Vectors by the passage they stand for, in 16-bit floats.
CREATE TABLE passage_vectors (
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  model text NOT NULL,
  vector bytea NOT NULL,
  -- When a document was last seen to have the passage, give or take some days.
  used_on date NOT NULL,
  PRIMARY KEY (hash, model)
);

CREATE INDEX passage_vectors_used ON passage_vectors (used_on);

-- What people ask of whoever writes the index; it may be another process.
CREATE TABLE index_tasks (
  id text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('optimize', 'verify', 'rebuild')),
  -- queued, running, done, failed; one that runs when its process dies is begun anew by the next.
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'done', 'failed')),
  report jsonb,
  error text,
  created_at timestamptz NOT NULL,
  finished_at timestamptz
);

CREATE INDEX index_tasks_open ON index_tasks (created_at) WHERE state IN ('queued', 'running');
