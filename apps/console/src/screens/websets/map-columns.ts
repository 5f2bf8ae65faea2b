/** What a column of a file is to a webset. */
export const ROLES = ["url", "name", "keep", "leave"] as const;

/** One such meaning. */
export type Role = (typeof ROLES)[number];

const ADDRESS = /^(?:https?:\/\/)?[\w-]+(?:\.[\w-]+)+(?:[/?#]\S*)?$/i;
const NAME_HEADING = /^(?:(?:full|company|organi[sz]ation|person|display) )?(?:name|title|company|organi[sz]ation)$/i;
const LEAST_SHARE = 0.5;

/** What each column looks like: the first with addresses, the first that is called a name, the rest kept. */
export function guessRoles(rows: readonly (readonly string[])[]): readonly Role[] {
  const [header = [], ...records] = rows;
  const isAddress = header.map((_, column) => {
    const cells = records.map((record) => record[column]?.trim() ?? "").filter((cell) => cell !== "");
    return cells.filter((cell) => ADDRESS.test(cell)).length > cells.length * LEAST_SHARE;
  });
  const url = isAddress.indexOf(true);
  const name = header.findIndex((heading, column) => column !== url && NAME_HEADING.test(heading.trim()));
  return header.map((_, column) => (column === url ? "url" : column === name ? "name" : "keep"));
}

/** Gives a column a meaning; of addresses and of names there is one column each. */
export function setRole(roles: readonly Role[], column: number, role: Role): readonly Role[] {
  return roles.map((one, index) => (index === column ? role : one === role && isSingle(role) ? "keep" : one));
}

/** The file as the server reads it: what names an item first, under the headings that say so. */
export function mapColumns(
  rows: readonly (readonly string[])[],
  roles: readonly Role[],
): readonly (readonly string[])[] {
  const [header = [], ...records] = rows;
  const order = [...roles.keys()]
    .filter((column) => roles[column] !== "leave")
    .sort((one, other) => placeOf(roles[one]) - placeOf(roles[other]));
  const headings = order.map((column) => {
    const role = roles[column] ?? "keep";
    const own = header[column]?.trim() ?? "";
    if (isSingle(role)) return role;
    return own === "" || ROLES.some((one) => one === own.toLowerCase()) ? `${own}_${column + 1}` : own;
  });
  return [headings, ...records.map((record) => order.map((column) => record[column] ?? ""))];
}

/** Whether the items of a file so read have a name or an address. */
export function isMapped(roles: readonly Role[]): boolean {
  return roles.some(isSingle);
}

function isSingle(role: Role): boolean {
  return role === "url" || role === "name";
}

function placeOf(role: Role = "leave"): number {
  return ROLES.indexOf(role);
}
