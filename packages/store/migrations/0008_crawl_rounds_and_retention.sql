-- Priorities in the frontier, rounds of re-visits, pages shown by a browser, and what the retention policy needs.

-- Pages of higher priority come first; those of one host are found without reading the others' rows.
ALTER TABLE crawl_pages ADD COLUMN priority smallint NOT NULL DEFAULT 0;
-- Whether a browser made the page that was kept.
ALTER TABLE crawl_pages ADD COLUMN rendered boolean NOT NULL DEFAULT false;
-- How often the page changes, as recrawl-schedule.ts counts it; null until it was visited.
ALTER TABLE crawl_pages ADD COLUMN visits real;
ALTER TABLE crawl_pages ADD COLUMN changes real;
ALTER TABLE crawl_pages ADD COLUMN observed_ms double precision;
-- What its sitemap says before the first visit, what was seen of it afterwards.
ALTER TABLE crawl_pages ADD COLUMN interval_ms double precision;
ALTER TABLE crawl_pages ADD COLUMN visited_at timestamptz;
ALTER TABLE crawl_pages ADD COLUMN next_visit_at timestamptz;
-- left: known and not visited, since the budget was spent; later rounds pass it over.
ALTER TABLE crawl_pages DROP CONSTRAINT crawl_pages_state_check;
ALTER TABLE crawl_pages ADD CONSTRAINT crawl_pages_state_check CHECK (state IN ('queued', 'done', 'left'));

DROP INDEX crawl_pages_next;
CREATE INDEX crawl_pages_next ON crawl_pages (crawl_id, host, priority DESC, place) WHERE state = 'queued';
CREATE INDEX crawl_pages_due ON crawl_pages (crawl_id, next_visit_at) WHERE state = 'done' AND next_visit_at IS NOT NULL;

-- The first run is round 1; each re-visit of what is due is one more, with counts of its own.
ALTER TABLE crawls ADD COLUMN round integer NOT NULL DEFAULT 1;
-- Pages this round may visit, where that is not what the request says.
ALTER TABLE crawls ADD COLUMN round_max_pages integer;
CREATE INDEX crawls_recrawled ON crawls (id) WHERE status = 'completed' AND (request -> 'recrawl' ->> 'enabled') = 'true';

-- Who quotes a text beside documents and their history: a research report, a webset's cell. While a row stands here,
-- retention leaves the text, its snapshot and the right to read it alone.
CREATE TABLE snapshot_citations (
  snapshot_id text NOT NULL,
  extractor_version text NOT NULL,
  cited_by_kind text NOT NULL,
  cited_by_id text NOT NULL,
  PRIMARY KEY (snapshot_id, extractor_version, cited_by_kind, cited_by_id),
  FOREIGN KEY (snapshot_id, extractor_version) REFERENCES extracted_texts (snapshot_id, extractor_version)
);

CREATE INDEX snapshot_citations_citer ON snapshot_citations (cited_by_kind, cited_by_id);

-- Blobs on their way out. queued: someone who needs the bytes again may strike the row. deleting: they are being
-- removed now. deleted: they are gone; kept a while, so that whoever saw them before learns of it.
CREATE TABLE removed_blobs (
  key text PRIMARY KEY,
  state text NOT NULL CHECK (state IN ('queued', 'deleting', 'deleted')),
  changed_at timestamptz NOT NULL
);

CREATE INDEX removed_blobs_state ON removed_blobs (state, changed_at);
CREATE INDEX document_history_seen ON document_history (seen_at);
CREATE INDEX usage_records_at ON usage_records USING brin (at);

-- When the crawl's sitemaps were last read; a later round reads them again after a day.
ALTER TABLE crawls ADD COLUMN sitemaps_read_at timestamptz;
