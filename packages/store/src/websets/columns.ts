/** A row whose columns have a record's names in snake_case. */
export type RowOf<T> = { readonly [Name in keyof T & string as SnakeCase<Name>]: T[Name] };

type SnakeCase<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
  : "";

/** How a record lies in its table: the columns for a SELECT, and what makes a record of a row. */
export interface Columns<T> {
  readonly list: string;
  readonly read: (row: RowOf<T>) => T;
}

/** The columns of a record whose every name is given, in their order. */
export function columnsOf<T>(names: Readonly<Record<keyof T & string, true>>): Columns<T> {
  const pairs = Object.keys(names).map((name) => [name, toSnakeCase(name)] as const);
  return {
    list: pairs.map(([, column]) => column).join(", "),
    read: (row) => {
      const values: Readonly<Record<string, unknown>> = row;
      // Every name of T is among the pairs, and RowOf gives each column the type of its name.
      return Object.fromEntries(pairs.map(([name, column]) => [name, values[column]])) as T;
    },
  };
}

function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
