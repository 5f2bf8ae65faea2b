-- Near duplicates are looked up for every page that is read, also before the first ANALYZE: a partial index is then
-- passed over, since the planner takes `IS NULL` for rare. So the index covers all rows, and a page that must not be
-- found (a duplicate itself, a deleted one) has no keys. Entries go into the index at once: lookups are as many as
-- inserts, and each would read the whole list of pending ones.

DROP INDEX documents_simhash;
UPDATE documents SET simhash_keys = NULL
WHERE simhash_keys IS NOT NULL AND (canonical_url IS NOT NULL OR deleted_at IS NOT NULL);
CREATE INDEX documents_simhash ON documents USING gin (simhash_keys) WITH (fastupdate = off);
