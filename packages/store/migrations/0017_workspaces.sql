-- Which machine holds a session's workspace; null is the server itself. A session that a machine
-- has served stays that machine's: its paths mean nothing anywhere else.
ALTER TABLE tool_sessions ADD COLUMN machine text;
