/** The text of known-unmet.ts, formatted as prettier would. */
export function renderKnownUnmet(knownUnmet: Readonly<Record<string, number>>): string {
  const lines = Object.keys(knownUnmet)
    .sort()
    .map((id) => `  ${JSON.stringify(id)}: ${String(knownUnmet[id])},`);
  return `/**
 * Requirements no test proves yet, each with the issue that will. The list may
 * only shrink: known-unmet-ceiling.ts pins its counts. After citing an id run
 * \`node tools/run-typescript.mjs tools/requirements.ts --prune\`.
 */
export const knownUnmet: Readonly<Record<string, number>> = {
${lines.join("\n")}
};
`;
}

/** The text of known-unmet-ceiling.ts, formatted as prettier would. */
export function renderCeiling(ceiling: Readonly<Record<number, number>>): string {
  const lines = Object.entries(ceiling).map(([issue, count]) => `  ${issue}: ${String(count)},`);
  return `/** How many requirements each issue still owes; must equal known-unmet.ts and may only be lowered. */
export const knownUnmetCeiling: Readonly<Record<number, number>> = {
${lines.join("\n")}
};
`;
}
