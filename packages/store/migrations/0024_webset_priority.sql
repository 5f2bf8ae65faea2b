-- How urgent a webset is to whoever made it or its last search: its units run before those of others, or after them.

ALTER TABLE websets ADD COLUMN priority text NOT NULL DEFAULT 'medium' CHECK (priority IN ('low', 'medium', 'high'));
