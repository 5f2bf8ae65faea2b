import { countJobs, type Queryable } from "@quarry/store";
import { limitOfKey } from "./jobs-workload.ts";

/** The tables the soak's jobs write to; nothing in them keeps a doubled row out. */
export async function makeSoakTables(db: Queryable): Promise<void> {
  await db.query(`CREATE TABLE soak_effects (
    number int NOT NULL, concurrency_key text, begun_at timestamptz NOT NULL, ended_at timestamptz NOT NULL
  )`);
  await db.query("CREATE TABLE soak_slots (slot_at timestamptz NOT NULL)");
  await db.query("CREATE TABLE soak_enqueued (batch int PRIMARY KEY)");
}

/** Every promise that does not hold once all should be done, a sentence each. */
export async function checkJobs(
  db: Queryable,
  expected: { readonly numbers: readonly number[]; readonly cancelable: readonly number[] },
): Promise<readonly string[]> {
  const effects = await db.query<Effect>("SELECT * FROM soak_effects");
  const times = new Map<number, number>();
  for (const { number } of effects) times.set(number, (times.get(number) ?? 0) + 1);
  const missing = expected.numbers.filter((number) => !times.has(number));
  const doubled = [...times].filter(([, count]) => count > 1).map(([number]) => number);
  const known = new Set([...expected.numbers, ...expected.cancelable]);
  const strange = [...times.keys()].filter((number) => !known.has(number));
  return [
    ...sentence("effects are missing", missing),
    ...sentence("effects are there more than once", doubled),
    ...sentence("effects belong to no job", strange),
    ...(await findUnfinished(db)),
    ...(await findWrongCancels(db, expected.cancelable)),
    ...findOverfullKeys(effects),
    ...(await findDoubledSlots(db)),
  ];
}

interface Effect {
  readonly number: number;
  readonly concurrency_key: string | null;
  readonly begun_at: Date;
  readonly ended_at: Date;
}

async function findUnfinished(db: Queryable): Promise<readonly string[]> {
  const { scheduled, queued, blocked, running, dead } = await countJobs(db);
  const stuck = { scheduled, queued, blocked, running, dead };
  return Object.entries(stuck).flatMap(([state, count]) => (count === 0 ? [] : [`${count} jobs are left ${state}`]));
}

/** A canceled job has no effect, a completed one has. */
async function findWrongCancels(db: Queryable, cancelable: readonly number[]): Promise<readonly string[]> {
  const rows = await db.query<{ number: number }>(
    `SELECT (payload->>'number')::int AS number FROM jobs
     WHERE (payload->>'number')::int = ANY ($1) AND (state = 'completed') <> EXISTS (
       SELECT FROM soak_effects WHERE number = (payload->>'number')::int
     )`,
    [cancelable],
  );
  return sentence(
    "jobs were canceled with their effect kept, or completed without",
    rows.map(({ number }) => number),
  );
}

/** The times were taken inside the lease, so overlapping ones ran at once. */
function findOverfullKeys(effects: readonly Effect[]): readonly string[] {
  const keys = new Set(effects.flatMap(({ concurrency_key: key }) => key ?? []));
  return [...keys].flatMap((key) => {
    const ofKey = effects.filter((effect) => effect.concurrency_key === key);
    const moves = ofKey
      .flatMap(({ begun_at, ended_at }) => [
        { at: begun_at.getTime(), by: 1 },
        { at: ended_at.getTime(), by: -1 },
      ])
      .sort((a, b) => a.at - b.at || a.by - b.by);
    let running = 0;
    let most = 0;
    for (const { by } of moves) most = Math.max(most, (running += by));
    return most > limitOfKey(key) ? [`${most} jobs of ${key} ran at once, ${limitOfKey(key)} may`] : [];
  });
}

async function findDoubledSlots(db: Queryable): Promise<readonly string[]> {
  const rows = await db.query<{ slot_at: Date }>("SELECT slot_at FROM soak_slots GROUP BY slot_at HAVING count(*) > 1");
  return rows.length === 0 ? [] : [`${rows.length} cron slots ran more than once`];
}

function sentence(what: string, numbers: readonly number[]): readonly string[] {
  if (numbers.length === 0) return [];
  const examples = numbers.slice(0, 10).join(", ");
  return [`${numbers.length} ${what}: ${examples}${numbers.length > 10 ? ", …" : ""}`];
}
