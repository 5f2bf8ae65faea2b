-- Whether the sample's pages were given to this store. At most one row, begun on a first start; finished once all of
-- them are there, after which they are documents like any other and stay deleted when they are deleted.
CREATE TABLE sample_load (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  begun_at timestamptz NOT NULL,
  finished_at timestamptz
);
