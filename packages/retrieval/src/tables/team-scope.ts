import type { Table } from "@lancedb/lancedb";
import { teamsToSql } from "../filter/filter-sql.ts";

const MAX_REMEMBERED = 200;

/**
 * Whether a sealed table has pages of some teams only: a condition that every row meets still costs the engine a look at
 * every row. Rows only leave such a table, so that what was true once stays true.
 */
export class TeamScope {
  readonly #table: Table;
  readonly #known = new Map<string, Promise<boolean>>();

  constructor(table: Table) {
    this.#table = table;
  }

  /** Whether all its pages are of these teams. */
  isWithin(teamIds: readonly string[]): Promise<boolean> {
    const condition = `NOT (${teamsToSql(teamIds)})`;
    const known = this.#known.get(condition);
    if (known !== undefined) return known;
    const answer = this.#table.countRows(condition).then((others) => others === 0);
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(condition, answer);
    answer.catch(() => this.#known.delete(condition)); // the caller has the error; the next one asks again
    return answer;
  }
}
