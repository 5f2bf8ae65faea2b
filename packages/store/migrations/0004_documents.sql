-- What was read, what it says, and what the index has yet to learn of it.

-- The bytes themselves lie in the blob store under the same id.
CREATE TABLE snapshots (
  id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{64}$'), -- SHA-256 of the bytes
  media_type text NOT NULL,
  charset text,
  byte_length bigint NOT NULL,
  created_at timestamptz NOT NULL
);

-- The text of a snapshot, as one version of the extractor read it. Never changed: quotes point into it.
CREATE TABLE extracted_texts (
  snapshot_id text NOT NULL REFERENCES snapshots (id),
  extractor_version text NOT NULL,
  text text NOT NULL,
  markdown text NOT NULL,
  -- Where in the source each part of the text stands, as the extractor packs it; null where there is no source to point into.
  source_map bytea,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (snapshot_id, extractor_version)
);

CREATE SEQUENCE document_versions AS bigint;

-- A page as a team knows it. team_id is a team's id, or 'shared' for what every team may read.
CREATE TABLE documents (
  team_id text NOT NULL,
  url text NOT NULL,
  -- Grows with every change, over all documents; the index keeps the highest it has seen.
  version bigint NOT NULL,
  -- A deleted document stays as a tombstone until the index has forgotten it.
  deleted_at timestamptz,
  snapshot_id text REFERENCES snapshots (id),
  extractor_version text,
  title text,
  author text,
  published_at timestamptz,
  language text,
  category text,
  site_name text,
  description text,
  favicon text,
  image text,
  word_count integer NOT NULL DEFAULT 0,
  -- Links, image links, code blocks, headings, structured data.
  details jsonb NOT NULL DEFAULT '{}',
  -- Hash of all that the index shows; equal means nothing to index anew.
  content_hash bytea CHECK (octet_length(content_hash) = 32),
  -- Fingerprint of the text, in hexadecimal, and the keys by which near ones are found.
  simhash text CHECK (simhash ~ '^[0-9a-f]{16}$'),
  simhash_keys integer[],
  -- The page that stands for this one when it is a duplicate.
  canonical_url text,
  source text NOT NULL CHECK (source IN ('crawl', 'api', 'import', 'sample', 'upstream')),
  crawled_at timestamptz NOT NULL,
  changed_at timestamptz NOT NULL,
  visit_count integer NOT NULL DEFAULT 1,
  change_count integer NOT NULL DEFAULT 0,
  etag text,
  last_modified text,
  PRIMARY KEY (team_id, url),
  FOREIGN KEY (snapshot_id, extractor_version) REFERENCES extracted_texts (snapshot_id, extractor_version),
  CHECK (deleted_at IS NOT NULL OR (snapshot_id IS NOT NULL AND content_hash IS NOT NULL))
);

CREATE INDEX documents_team_crawled ON documents (team_id, crawled_at DESC, url) WHERE deleted_at IS NULL;
CREATE INDEX documents_snapshot ON documents (snapshot_id);
CREATE INDEX documents_content ON documents (team_id, content_hash) WHERE deleted_at IS NULL AND canonical_url IS NULL;
CREATE INDEX documents_simhash ON documents USING gin (simhash_keys) WHERE deleted_at IS NULL AND canonical_url IS NULL;

-- Every text a document has had, so that two of them can be compared.
CREATE TABLE document_history (
  team_id text NOT NULL,
  url text NOT NULL,
  version bigint NOT NULL,
  snapshot_id text NOT NULL,
  extractor_version text NOT NULL,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (team_id, url, version),
  FOREIGN KEY (snapshot_id, extractor_version) REFERENCES extracted_texts (snapshot_id, extractor_version)
);

CREATE INDEX document_history_snapshot ON document_history (snapshot_id);

-- Documents whose newest version the index has not confirmed; one row each.
CREATE TABLE index_outbox (
  team_id text NOT NULL,
  url text NOT NULL,
  version bigint NOT NULL,
  queued_at timestamptz NOT NULL,
  PRIMARY KEY (team_id, url)
);

CREATE INDEX index_outbox_order ON index_outbox (version);
