-- A duplicate gets another place when the page that stands for it goes or changes.

-- The page that a page says it belongs to, where that is believed (rel=canonical).
ALTER TABLE documents ADD COLUMN declared_url text;

CREATE INDEX documents_canonical ON documents (team_id, canonical_url)
  WHERE canonical_url IS NOT NULL AND deleted_at IS NULL;

-- The keys of a page that stands for itself from now on; as the crawler's simhashKeys makes them: one for each pair of
-- the eight bytes.
CREATE FUNCTION simhash_keys_of(simhash text) RETURNS integer[] LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT array_agg(pair * 65536 + get_byte(bytes, first) * 256 + get_byte(bytes, second) ORDER BY pair)
  FROM decode(simhash, 'hex') AS bytes, LATERAL (
    SELECT first, second, (row_number() OVER (ORDER BY first, second) - 1)::integer AS pair
    FROM generate_series(0, 7) AS first, generate_series(first + 1, 7) AS second) AS pairs
$$;

-- Those whose page went before this: the oldest of equal ones stands for itself, the others point to it.
WITH left_alone AS (
  SELECT doc.team_id, doc.url, nullif(first_value(doc.url) OVER (
      PARTITION BY doc.team_id, doc.canonical_url, coalesce(doc.simhash, encode(doc.content_hash, 'hex'))
      ORDER BY doc.version, doc.url), doc.url) AS canonical_url
  FROM documents AS doc
  WHERE doc.canonical_url IS NOT NULL AND doc.deleted_at IS NULL AND NOT EXISTS (
    SELECT FROM (
      SELECT deleted_at, canonical_url FROM documents WHERE team_id = doc.team_id AND url = doc.canonical_url OFFSET 0
    ) AS page
    WHERE page.deleted_at IS NULL AND page.canonical_url IS NULL)),
placed AS (
  UPDATE documents AS doc SET version = nextval('document_versions'), canonical_url = left_alone.canonical_url,
    simhash_keys = CASE WHEN left_alone.canonical_url IS NULL THEN simhash_keys_of(doc.simhash) END
  FROM left_alone WHERE doc.team_id = left_alone.team_id AND doc.url = left_alone.url
  RETURNING doc.team_id, doc.url, doc.version)
INSERT INTO index_outbox (team_id, url, version, queued_at)
SELECT team_id, url, version, now() FROM placed
ON CONFLICT (team_id, url) DO UPDATE SET version = excluded.version;
