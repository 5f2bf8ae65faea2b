export { isUniqueViolation } from "./database-errors.ts";
export type { Database, Queryable, Transaction } from "./database.ts";
export { openDatabase } from "./open-database.ts";
export type { DatabaseAddress, OpenDatabaseOptions } from "./open-database.ts";
