import { randomBytes } from "node:crypto";
import type { BlobStore, Database } from "@quarry/store";
import type { Random } from "./random.ts";

const DOCUMENTS_AT_ONCE = 250;
const PAGES = 64;
const PAGE_WORDS = 900;
const WORDS = 4_000;
const PASSAGES_PER_DOCUMENT = 3;
const VECTOR_BYTES = 768;
/** One document in so many comes with a snapshot of its own. */
const SNAPSHOT_EVERY = 4;
const SNAPSHOT_BYTES = 12_000;

/**
 * Puts documents with texts, vectors of passages, events and snapshots straight into the store until database and snapshots are so
 * large, in about the shares that a crawl leaves; answers how large they are. They are never indexed.
 */
export async function fillDatabase(
  db: Database,
  blobs: BlobStore,
  { bytes, random }: { readonly bytes: number; readonly random: Random },
): Promise<number> {
  const pages = makePages(random);
  const tag = String(random.integer(0, 1e9));
  let blobBytes = 0;
  for (let first = 0; ; first += DOCUMENTS_AT_ONCE) {
    const [row] = await db.query<{ size: number }>("SELECT pg_database_size(current_database()) AS size");
    const size = (row?.size ?? 0) + blobBytes;
    if (size >= bytes) return size;
    await addDocuments(db, pages, { tag, first });
    for (let number = 0; number < DOCUMENTS_AT_ONCE; number += SNAPSHOT_EVERY) {
      await blobs.put(`snapshots/${tag}/${first + number}.gz`, randomBytes(SNAPSHOT_BYTES));
      blobBytes += SNAPSHOT_BYTES;
    }
  }
}

/** Texts with the spread of words that languages have, so that they pack as texts do. */
function makePages(random: Random): readonly string[] {
  const letters = "etaoinshrdlucmfwypvbgkjqxz";
  const words = Array.from({ length: WORDS }, () =>
    Array.from({ length: random.integer(2, 10) }, () => letters[Math.floor(random.next() ** 2 * letters.length)]).join(
      "",
    ),
  );
  return Array.from({ length: PAGES }, () =>
    Array.from({ length: PAGE_WORDS }, () => words[Math.floor(random.next() ** 3 * WORDS)]).join(" "),
  );
}

async function addDocuments(
  db: Database,
  pages: readonly string[],
  { tag, first }: { readonly tag: string; readonly first: number },
): Promise<void> {
  const numbers = `generate_series($1::int, $1::int + ${DOCUMENTS_AT_ONCE - 1}) AS n`;
  const snapshot = `encode(sha256(('${tag} ' || n)::bytea), 'hex')`;
  const at = "timestamptz '2026-01-01' + n * interval '1 second'";
  await db.transaction(async (tx) => {
    await tx.query(`INSERT INTO snapshots SELECT ${snapshot}, 'text/html', 'utf-8', 9000, ${at} FROM ${numbers}`, [
      first,
    ]);
    await tx.query(
      `INSERT INTO extracted_texts (snapshot_id, extractor_version, text, markdown, created_at)
       SELECT ${snapshot}, '1', 'Page ' || n || ' ' || page, '# Page ' || n || E'\\n\\n' || page, ${at}
       FROM ${numbers} CROSS JOIN LATERAL (SELECT ($2::text[])[1 + n % ${PAGES}] AS page) AS chosen`,
      [first, pages],
    );
    await tx.query(
      `INSERT INTO documents (team_id, url, version, snapshot_id, extractor_version, title, content_hash, source, crawled_at,
         changed_at, details)
       SELECT 'filled', 'https://filled.example/${tag}/' || n, nextval('document_versions'), ${snapshot}, '1', 'Page ' || n,
         sha256(('${tag} ' || n)::bytea), 'crawl', ${at}, ${at}, jsonb_build_object('links', jsonb_build_array(n, n + 1))
       FROM ${numbers}`,
      [first],
    );
    await tx.query(
      `INSERT INTO passage_vectors (hash, model, vector, used_on)
       SELECT sha256(('${tag} ' || n || ' ' || passage)::bytea), 'filled',
         decode((SELECT string_agg(md5(n::text || passage || part), '') FROM generate_series(1, ${VECTOR_BYTES / 16}) AS part), 'hex'),
         date '2026-01-01'
       FROM ${numbers} CROSS JOIN generate_series(1, ${PASSAGES_PER_DOCUMENT}) AS passage`,
      [first],
    );
    await tx.query(
      `INSERT INTO events (id, team_id, type, resource_kind, resource_id, data)
       SELECT 'event_${tag}_' || n, 'filled', 'filled', 'document', n::text, jsonb_build_object('n', n) FROM ${numbers}`,
      [first],
    );
  });
}
