-- What a tool call costs: less to check and nobody woken for each.

-- A call's team is its session's, from whose row it is written; a line of the log has its head's. Both refer to the team.
ALTER TABLE tool_calls DROP CONSTRAINT tool_calls_team_id_fkey;
ALTER TABLE tool_audit DROP CONSTRAINT tool_audit_team_id_fkey;

-- Whether anyone waits for the end of the call beside the process that runs it: only then is its end told.
ALTER TABLE tool_calls ADD COLUMN is_followed boolean NOT NULL DEFAULT false;
