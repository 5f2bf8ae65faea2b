-- Which secret QUARRY_API_KEY gave last: a start with the same one leaves a key alone that was rotated since.

ALTER TABLE api_keys ADD COLUMN given_secret_hash bytea CHECK (octet_length(given_secret_hash) = 32);

-- Of a key rotated before, the secret that was given is the one before the last as long as that is known.
UPDATE api_keys SET given_secret_hash = coalesce(previous_secret_hash, secret_hash) WHERE origin = 'environment';
