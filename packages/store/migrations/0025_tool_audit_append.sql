-- The end of the chain moves by one upsert: the call that is told of waits for it.
CREATE OR REPLACE FUNCTION append_tool_audit(team text, new_entry text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  head tool_audit_heads;
BEGIN
  INSERT INTO tool_audit_heads AS last (team_id, sequence, hash)
    VALUES (team, 1, sha256(decode(repeat('00', 32), 'hex') || convert_to(E'1\n' || new_entry, 'UTF8')))
    ON CONFLICT (team_id) DO UPDATE
    SET sequence = last.sequence + 1,
        hash = sha256(last.hash || convert_to((last.sequence + 1)::text || E'\n' || new_entry, 'UTF8'))
    RETURNING * INTO head;
  INSERT INTO tool_audit (team_id, sequence, entry, hash) VALUES (team, head.sequence, new_entry, head.hash);
  RETURN head.sequence;
END
$$;
