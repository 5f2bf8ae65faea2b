import { AppError, makeId } from "@quarry/base";
import type { Database, Queryable, Transaction } from "../database.ts";
import { endSessionsOfKey, insertKey } from "./manage-keys.ts";
import { hashSecret, hintOf, makeSecret } from "./secret.ts";

/** The team that a start found or made. */
export interface FirstTeam {
  readonly teamId: string;
}

/** Advisory lock that starting processes queue at, for the team as for its first key: "qteam" in ASCII. */
const FIRST_TEAM_LOCK = 0x717465616d;
const FIRST_KEY_NAME = "First key";

/**
 * Makes sure that a team exists; with `apiKey` (the operator's own) that key is
 * registered, now or at a later start, and replaces the one given before. The one
 * given last changes nothing: when it was rotated since, the rotation stands. Safe
 * when several processes start at once: one makes the team. Throws `conflict`
 * when `apiKey` was revoked: the revocation stands.
 */
export function ensureFirstTeam(db: Database, options: { readonly apiKey?: string | undefined; readonly now: Date }) {
  return db.transaction(async (tx): Promise<FirstTeam> => {
    await tx.query("SELECT pg_advisory_xact_lock($1)", [FIRST_TEAM_LOCK]);
    const [team] = await tx.query<{ id: string }>("SELECT id FROM teams ORDER BY created_at, id LIMIT 1");
    const teamId = team?.id ?? (await createTeam(tx, "Default team", options.now));
    if (options.apiKey !== undefined) await keepGivenKey(tx, teamId, { secret: options.apiKey, now: options.now });
    return { teamId };
  });
}

/**
 * Whether a team needs its first key: nobody has or had one that can manage keys, made or given. A start asks before
 * anybody can reach it, since whoever does may make keys.
 */
export async function needsFirstKey(db: Queryable, teamId: string): Promise<boolean> {
  const known = await db.query(
    "SELECT 1 FROM api_keys WHERE team_id = $1 AND origin <> 'local' AND scopes && ARRAY['all', 'admin'] LIMIT 1",
    [teamId],
  );
  return known.length === 0;
}

/**
 * Makes the first key of a team that needs one, with every scope, and answers its secret; undefined when another start
 * has made it meanwhile. Whoever asks must show it at once: it is kept nowhere. So a start asks last, when nothing of
 * it can fail any more.
 */
export function createFirstKey(db: Database, teamId: string, now: Date): Promise<string | undefined> {
  return db.transaction(async (tx) => {
    await tx.query("SELECT pg_advisory_xact_lock($1)", [FIRST_TEAM_LOCK]);
    const known = await tx.query("SELECT 1 FROM api_keys WHERE team_id = $1 AND origin = 'api' AND name = $2 LIMIT 1", [
      teamId,
      FIRST_KEY_NAME,
    ]);
    if (known.length > 0) return undefined;
    return (await insertKey(tx, teamId, { name: FIRST_KEY_NAME, scopes: ["all"] }, now)).secret;
  });
}

/** Makes a team and answers its id. */
export async function createTeam(db: Queryable, name: string, now: Date): Promise<string> {
  const id = makeId("team", now);
  await db.query("INSERT INTO teams (id, name, created_at) VALUES ($1, $2, $3)", [id, name, now]);
  return id;
}

/** A team's name; throws `not_found`. */
export async function getTeam(db: Queryable, id: string): Promise<{ readonly id: string; readonly name: string }> {
  const [team] = await db.query<{ id: string; name: string }>("SELECT id, name FROM teams WHERE id = $1", [id]);
  if (team === undefined) throw new AppError("not_found", "there is no team with this id");
  return team;
}

/**
 * Makes the key with which programs on this machine reach the server, and answers
 * its secret; the one made before under the same name ends, while sessions opened
 * with it go on. `name` tells servers on one database apart.
 */
export async function renewLocalKey(
  db: Database,
  teamId: string,
  options: { readonly name: string; readonly now: Date },
): Promise<string> {
  const secret = makeSecret("qry");
  await db.transaction((tx) => putKey(tx, teamId, { origin: "local", name: options.name, secret, now: options.now }));
  return secret;
}

async function keepGivenKey(
  tx: Transaction,
  teamId: string,
  given: { readonly secret: string; readonly now: Date },
): Promise<void> {
  const hash = hashSecret(given.secret);
  const [known] = await tx.query<{ id: string; revoked_at: Date | null; is_current: boolean }>(
    `SELECT id, revoked_at, secret_hash = $1 AS is_current FROM api_keys
     WHERE secret_hash = $1 OR given_secret_hash = $1 OR previous_secret_hash = $1
     ORDER BY secret_hash = $1 DESC, id LIMIT 1`,
    [hash],
  );
  if (known !== undefined && known.revoked_at !== null) {
    throw new AppError(
      "conflict",
      `the key in QUARRY_API_KEY was revoked on ${known.revoked_at.toISOString()}: set another one, or unset it`,
      { details: { field: "QUARRY_API_KEY" } },
    );
  }
  if (known !== undefined) {
    // Any key's secret may be given, also one that a start showed or a rotation made: once rotated away it stays away.
    // One in its grace takes the place of none that still works.
    await tx.query(
      `UPDATE api_keys SET given_secret_hash = $2
       WHERE id = $1 AND ($3 OR given_secret_hash IS DISTINCT FROM secret_hash)
         AND given_secret_hash IS DISTINCT FROM $2`,
      [known.id, hash, known.is_current],
    );
    return;
  }
  await putKey(tx, teamId, { origin: "environment", name: "QUARRY_API_KEY", ...given });
}

async function putKey(
  tx: Transaction,
  teamId: string,
  key: {
    readonly origin: "environment" | "local";
    readonly name: string;
    readonly secret: string;
    readonly now: Date;
  },
): Promise<void> {
  const [row] = await tx.query<{ id: string }>(
    `INSERT INTO api_keys AS key
       (id, team_id, name, origin, secret_hash, given_secret_hash, hint, scopes, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, CASE WHEN $4 = 'environment' THEN $5::bytea END, $6, ARRAY['all'], $7, $7)
     ON CONFLICT (team_id, origin, name) WHERE origin <> 'api' DO UPDATE SET
       secret_hash = excluded.secret_hash, given_secret_hash = excluded.given_secret_hash, hint = excluded.hint,
       updated_at = excluded.updated_at,
       previous_secret_hash = NULL, previous_secret_expires_at = NULL, revoked_at = NULL
     RETURNING id`,
    [makeId("apikey", key.now), teamId, key.name, key.origin, hashSecret(key.secret), hintOf(key.secret), key.now],
  );
  // The local key is renewed at every start because a file holds it, not because it leaked: browsers stay signed in over
  // a restart. Another secret in QUARRY_API_KEY is a change of mind, and ends what stood on the old one.
  if (row !== undefined && key.origin !== "local") await endSessionsOfKey(tx, row.id);
}
