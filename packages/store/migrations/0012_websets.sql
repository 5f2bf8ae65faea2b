-- Websets: lists of entities found by criteria and enriched cell by cell. A webset's status is nowhere: it follows from
-- its searches, its open cells and the open work of others (src/websets/webset-state.ts). Whoever changes anything of a
-- webset locks its row first, so that changes, counters and events of one webset have one order.

CREATE TABLE websets (
  id text PRIMARY KEY,
  team_id text NOT NULL REFERENCES teams (id),
  external_id text,
  title text,
  metadata jsonb NOT NULL,
  -- [{source, id}]: entities found there never enter.
  excludes jsonb NOT NULL,
  -- [{source, id, evaluate}]: what was given as import at creation.
  imports jsonb NOT NULL,
  paused_at timestamptz,
  -- {items, pages, tokens, costDollars}, each a number or absent: never passed.
  caps jsonb NOT NULL,
  item_count integer NOT NULL DEFAULT 0,
  spent_pages integer NOT NULL DEFAULT 0,
  spent_tokens bigint NOT NULL DEFAULT 0,
  spent_dollars double precision NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE INDEX websets_by_team ON websets (team_id, id DESC);
CREATE UNIQUE INDEX websets_external_id ON websets (team_id, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE webset_searches (
  id text PRIMARY KEY,
  -- Searches of a webset run one after the other, in this order.
  sequence bigint GENERATED ALWAYS AS IDENTITY,
  webset_id text NOT NULL REFERENCES websets (id) ON DELETE CASCADE,
  team_id text NOT NULL,
  status text NOT NULL CHECK (status IN ('created', 'pending', 'running', 'completed', 'canceled')),
  query text NOT NULL,
  -- Null until the query is understood.
  entity jsonb,
  -- [{description, judged, yes}]; empty until the query is understood.
  criteria jsonb NOT NULL,
  count integer NOT NULL CHECK (count >= 1),
  behavior text NOT NULL CHECK (behavior IN ('override', 'append')),
  exclude jsonb NOT NULL,
  scope jsonb NOT NULL,
  max_people_per_company integer,
  wants_recall boolean NOT NULL,
  metadata jsonb NOT NULL,
  -- The steps of collecting candidates; null until the query is understood. `step` is the next of them.
  plan jsonb,
  step integer NOT NULL DEFAULT 0,
  candidates integer NOT NULL DEFAULT 0,
  analyzed integer NOT NULL DEFAULT 0,
  found integer NOT NULL DEFAULT 0,
  recall jsonb,
  -- Why it ended: count, exhausted, limit, caps, failed; for people.
  end_reason text,
  canceled_at timestamptz,
  canceled_reason text CHECK (canceled_reason IN ('webset_deleted', 'webset_canceled')),
  started_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE INDEX webset_searches_of_webset ON webset_searches (webset_id, sequence);
CREATE UNIQUE INDEX webset_searches_one_runs ON webset_searches (webset_id) WHERE status = 'running';

-- An entity that a search found, and how far it has been judged. One row per entity and search.
CREATE TABLE webset_candidates (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  search_id text NOT NULL REFERENCES webset_searches (id) ON DELETE CASCADE,
  entity_key text NOT NULL,
  entity jsonb NOT NULL,
  -- The item it is already, when an override judges the webset's own.
  item_id text,
  source text NOT NULL CHECK (source IN ('search', 'import')),
  source_id text NOT NULL,
  source_entity_id text,
  scope_id text,
  -- The formulations that found it.
  seen_in integer[] NOT NULL,
  state text NOT NULL CHECK (state IN ('open', 'passed', 'rejected', 'skipped')),
  -- The verdicts so far, in the order of the criteria.
  evaluations jsonb NOT NULL DEFAULT '[]'
);

CREATE UNIQUE INDEX webset_candidates_entity ON webset_candidates (search_id, entity_key);
CREATE INDEX webset_candidates_open ON webset_candidates (search_id) WHERE state = 'open';

CREATE TABLE webset_items (
  id text PRIMARY KEY,
  -- Items are listed in the order in which they came.
  sequence bigint GENERATED ALWAYS AS IDENTITY,
  webset_id text NOT NULL REFERENCES websets (id) ON DELETE CASCADE,
  team_id text NOT NULL,
  entity_key text NOT NULL,
  -- The key and every other name by which the same entity is recognised.
  identities text[] NOT NULL,
  -- The entity without its content.
  entity jsonb NOT NULL,
  -- What entities of one group share: a person's company.
  group_key text,
  source text NOT NULL CHECK (source IN ('search', 'import')),
  source_id text NOT NULL,
  source_entity_id text,
  scope_id text,
  -- The text that stands as properties.content.
  content_snapshot_id text,
  content_extractor_version text,
  evaluations jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE UNIQUE INDEX webset_items_entity ON webset_items (webset_id, entity_key);
CREATE INDEX webset_items_in_order ON webset_items (webset_id, sequence);
CREATE INDEX webset_items_of_source ON webset_items (webset_id, source_id, sequence);
CREATE INDEX webset_items_identities ON webset_items USING gin (identities);
CREATE INDEX webset_items_group ON webset_items (webset_id, group_key) WHERE group_key IS NOT NULL;

CREATE TABLE webset_enrichments (
  id text PRIMARY KEY,
  sequence bigint GENERATED ALWAYS AS IDENTITY,
  webset_id text NOT NULL REFERENCES websets (id) ON DELETE CASCADE,
  team_id text NOT NULL,
  title text,
  description text NOT NULL,
  format text NOT NULL CHECK (format IN ('text', 'date', 'number', 'options', 'email', 'phone', 'url')),
  options jsonb,
  instructions text,
  metadata jsonb NOT NULL,
  canceled_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE INDEX webset_enrichments_of_webset ON webset_enrichments (webset_id, sequence);

CREATE TABLE webset_cells (
  item_id text NOT NULL REFERENCES webset_items (id) ON DELETE CASCADE,
  enrichment_id text NOT NULL REFERENCES webset_enrichments (id) ON DELETE CASCADE,
  webset_id text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'completed', 'canceled')),
  result jsonb,
  reasoning text,
  references_json jsonb NOT NULL DEFAULT '[]',
  -- Who gave the value: null for Quarry itself. {by, note}
  human jsonb,
  -- How often it was opened: a unit of an earlier round does not fill it.
  round integer NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (item_id, enrichment_id)
);

CREATE INDEX webset_cells_open ON webset_cells (webset_id, enrichment_id) WHERE status = 'pending';
CREATE INDEX webset_cells_of_enrichment ON webset_cells (enrichment_id);

-- Values that were replaced: the history of a verdict or a cell is these and what stands now.
CREATE TABLE webset_past_values (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  item_id text NOT NULL REFERENCES webset_items (id) ON DELETE CASCADE,
  -- An enrichment's id, or "criterion:" and its words.
  subject text NOT NULL,
  -- {value, reasoning, references, by, note, at}
  entry jsonb NOT NULL
);

CREATE INDEX webset_past_values_of_item ON webset_past_values (item_id, subject, id);

-- Work of others that keeps a webset running: an import that flows in, a run of a monitor.
CREATE TABLE webset_work (
  webset_id text NOT NULL REFERENCES websets (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('import', 'monitor_run')),
  id text NOT NULL,
  begun_at timestamptz NOT NULL,
  PRIMARY KEY (webset_id, kind, id)
);
