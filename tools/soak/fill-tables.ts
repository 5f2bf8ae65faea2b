import type { Database } from "@quarry/store";
import type { Random } from "./random.ts";
import { readTableShapes, type ColumnShape, type TableShape } from "./read-database.ts";

/** Rows made up in one statement until one of them satisfies every constraint. */
const TRIES_AT_ONCE = 40;
const ROUNDS = 8;

/** What rows must satisfy, in the words of the catalog. */
interface Rules {
  /** Texts that the checks of a table speak of. */
  readonly literals: ReadonlyMap<string, readonly string[]>;
  readonly foreignKeys: readonly ForeignKey[];
}

interface ForeignKey {
  readonly table: string;
  readonly columns: readonly string[];
  readonly target: string;
  readonly targetColumns: readonly string[];
}

/**
 * Gives each of these tables up to `count` rows made up at random, by trying: a row that breaks a constraint is thrown away, so
 * that the tables say themselves what a row is. Returns the tables that have rows then.
 */
export async function fillTables(
  db: Database,
  names: ReadonlySet<string>,
  { count, random }: { readonly count: number; readonly random: Random },
): Promise<readonly string[]> {
  const rules = await readRules(db);
  const tables = inOrderOfNeed(
    (await readTableShapes(db)).filter(({ name }) => names.has(name)),
    rules,
  );
  const filled: string[] = [];
  for (const table of tables) {
    for (let row = 0; row < count; row += 1) await addRow(db, table, { rules, random });
    const found = await db.query(`SELECT 1 FROM "${table.name}" LIMIT 1`);
    if (found.length > 0) filled.push(table.name);
  }
  return filled;
}

async function addRow(
  db: Database,
  table: TableShape,
  { rules, random }: { readonly rules: Rules; readonly random: Random },
): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const tries = Array.from(
      { length: TRIES_AT_ONCE },
      () => `IF done = 0 THEN BEGIN ${makeInsert(table, rules, random)};
        GET DIAGNOSTICS done = ROW_COUNT; EXCEPTION WHEN OTHERS THEN NULL; END; END IF;`,
    );
    const statement = `DO $fill$ DECLARE done integer := 0; BEGIN ${tries.join("\n")}
      IF done = 0 THEN RAISE EXCEPTION 'no row fits'; END IF; END $fill$`;
    const isIn = await db.query(statement).then(
      () => true,
      () => false, // none of them fits: others are tried
    );
    if (isIn) return;
  }
}

function makeInsert(table: TableShape, rules: Rules, random: Random): string {
  const values = new Map<string, string>();
  const sources: string[] = [];
  for (const [place, key] of rules.foreignKeys.filter((one) => one.table === table.name).entries()) {
    const columns = table.columns.filter(({ name }) => key.columns.includes(name));
    if (columns.some(({ isNullable }) => isNullable) && random.chance(0.4)) {
      for (const { name, isNullable } of columns) if (isNullable) values.set(name, "NULL");
      continue;
    }
    const picked = key.targetColumns.map((name) => `"${name}"`).join();
    sources.push(`(SELECT ${picked} FROM "${key.target}" ORDER BY random() LIMIT 1) AS f${place}`);
    for (const [at, name] of key.columns.entries()) values.set(name, `f${place}."${key.targetColumns[at]}"`);
  }
  for (const column of table.columns) {
    if (values.has(column.name) || column.isIdentity) continue;
    if (column.hasDefault && random.chance(0.5)) continue;
    const literals = rules.literals.get(table.name) ?? [];
    values.set(column.name, column.isNullable && random.chance(0.4) ? "NULL" : makeValue(column, literals, random));
  }
  const columns = [...values.keys()].map((name) => `"${name}"`).join();
  const from = sources.length === 0 ? "" : ` FROM ${sources.join(", ")}`;
  return `INSERT INTO "${table.name}" (${columns}) SELECT ${[...values.values()].join()}${from}`;
}

/** An SQL expression. All moments are of the past, so that what a migration writes now can be told from them. */
function makeValue({ name, type }: ColumnShape, literals: readonly string[], random: Random): string {
  const number = random.integer(0, 999_999);
  const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  const ofName = literals.filter((one) => one.startsWith(`${name}\u0000`)).map((one) => one.slice(name.length + 1));
  switch (type) {
    case "text":
      if (ofName.length > 0) return quote(random.pick(ofName));
      return random.pick([
        quote(`${name}_${number}`),
        quote(`${name}_${number}`),
        `encode(sha256('${number}'), 'hex')`,
        quote(`https://www.example.com/${number}`),
        ...literals.slice(0, 4).map((one) => quote(one.split("\u0000")[1] ?? "")),
      ]);
    case "boolean":
      return random.pick(["true", "false"]);
    case "integer":
    case "bigint":
    case "smallint":
    case "numeric":
      return String(random.pick([0, 1, 2, 5, number]));
    case "real":
    case "double precision":
      return String(random.next());
    case "jsonb":
    case "json":
      return random.pick([`'{"n": ${number}}'`, `'[${number}]'`, "'{}'", "'[]'", `'"${number}"'`, "'null'"]);
    case "bytea":
      return `sha256('${number}')`;
    case "uuid":
      return "gen_random_uuid()";
    case "text[]":
      return `ARRAY[${quote(random.pick([...ofName, `${name}_${number}`]))}]`;
    case "timestamp with time zone":
      return `timestamptz '2026-01-01' + ${number} * interval '1 second'`;
    case "date":
      return "date '2026-01-01'";
    default:
      return type.endsWith("[]") ? "'{}'" : "NULL";
  }
}

async function readRules(db: Database): Promise<Rules> {
  const checks = await db.query<{ table: string; definition: string }>(
    `SELECT conrelid::regclass::text AS table, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE contype = 'c' AND connamespace = 'public'::regnamespace`,
  );
  const literals = new Map<string, string[]>();
  for (const { table, definition } of checks) {
    const known = literals.get(table) ?? [];
    for (const [, column = "", list = ""] of definition.matchAll(/\(?(\w+) (?:= ANY|<@) \(?(ARRAY\[.*?\])/g)) {
      for (const [, text] of list.matchAll(/'((?:[^']|'')*)'::text/g)) known.push(`${column}\u0000${text}`);
    }
    for (const [, column, text] of definition.matchAll(/\(?(\w+) = '((?:[^']|'')*)'::text/g)) {
      known.push(`${column}\u0000${text}`);
    }
    literals.set(table, known);
  }
  const foreignKeys = await db.query<ForeignKey>(
    `SELECT conrelid::regclass::text AS table, confrelid::regclass::text AS target,
       ARRAY(SELECT attname::text FROM unnest(conkey) WITH ORDINALITY AS k (n, place)
         JOIN pg_attribute ON attrelid = conrelid AND attnum = n ORDER BY place) AS columns,
       ARRAY(SELECT attname::text FROM unnest(confkey) WITH ORDINALITY AS k (n, place)
         JOIN pg_attribute ON attrelid = confrelid AND attnum = n ORDER BY place) AS "targetColumns"
     FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`,
  );
  return { literals, foreignKeys };
}

/** Those that others refer to come first. */
function inOrderOfNeed(tables: readonly TableShape[], { foreignKeys }: Rules): readonly TableShape[] {
  const sorted: TableShape[] = [];
  const rest = [...tables];
  while (rest.length > 0) {
    const isFree = ({ name }: TableShape): boolean =>
      !foreignKeys.some(
        ({ table, target }) => table === name && target !== name && rest.some((other) => other.name === target),
      );
    const next = Math.max(0, rest.findIndex(isFree)); // a circle is entered anywhere
    sorted.push(...rest.splice(next, 1));
  }
  return sorted;
}
