import { requirements } from "../requirement.ts";

/** What the ingest part promises. */
export const ingestRequirements = requirements({
  "design conventions": {
    "ingest:documents:post-json": "POST /quarry/v1/documents takes one document or several as JSON",
    "ingest:documents:post-ndjson": "it takes NDJSON as a stream",
    "ingest:documents:upsert-by-url": "a document with a known URL replaces the old one",
    "ingest:documents:per-document-status": "the reply has one status per document; a bad one does not fail the others",
    "ingest:documents:text-or-html": "a document carries text or html",
    "ingest:documents:fields": "title, publishedDate, author and category given are kept",
    "ingest:documents:indexed-flag": "the reply says whether a document is searchable yet",
    "ingest:documents:wait": "wait=true answers when the documents are searchable",
    "ingest:documents:delete": "DELETE /quarry/v1/documents removes documents by URL",
    "ingest:documents:get": "GET /quarry/v1/documents?url= gives the document",
    "ingest:documents:own-team": "a team reads and deletes its own documents alone",
    "ingest:documents:bad-url": "a document without a valid http URL is refused by itself",
  },
  "issue 3 crawl": {
    "ingest:import:ndjson": "quarry index import reads NDJSON",
    "ingest:import:folder": "it reads a folder of HTML, Markdown, PDF and DOCX",
    "ingest:import:warc": "it reads WARC, plain and gzipped, as a stream",
    "ingest:import:wet": "it reads WET, plain and gzipped, as a stream",
    "ingest:import:sitemap": "it reads a sitemap",
    "ingest:import:resumable": "an import broken off can be run again without doubling anything",
    "ingest:import:broken-records": "a broken record is reported and the rest imported",
    "ingest:export:warc": "quarry index export writes WARC that reads back equal",
    "ingest:export:ndjson": "quarry index export writes NDJSON that reads back equal",
    "ingest:path:spine": "a page goes through crawl, snapshot, extract and the indexing seam in that order",
    "ingest:path:document-points-to-snapshot": "every document points to its snapshot",
  },
});
