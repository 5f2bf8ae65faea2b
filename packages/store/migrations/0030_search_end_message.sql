-- What was wrong when a search ended as failed; for people.
ALTER TABLE webset_searches ADD COLUMN end_message text;
