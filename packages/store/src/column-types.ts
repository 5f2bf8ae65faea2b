import pg from "pg";

/** The parsers of the columns we read otherwise than the driver does; handed to each pool, never set globally. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: string): ((text: string) => unknown) =>
    TEXT_PARSERS.get(oid) ?? driverParser(oid, format),
};

/** The driver's own table, seen through the types it really has: an oid in, a parser out. */
const driverParser = pg.types.getTypeParser as (oid: number, format?: string) => (text: string) => unknown;

const TEXT_PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, parseSafeInteger],
  [pg.types.builtins.DATE, (text: string) => text],
  [pg.types.builtins.TIMESTAMP, (text: string) => new Date(`${text.replace(" ", "T")}Z`)],
]);

/** Throws rather than rounds: an id that changes on its way is worse than a failed statement. */
function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} is not exact as a number: select it as text`);
  return value;
}
