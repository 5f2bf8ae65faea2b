import { areaOf, type Requirement } from "./requirement.ts";

/** One line per area, `area  met / total`, and a line for all. */
export function progressLines(
  requirements: readonly Requirement[],
  met: ReadonlySet<string>,
  word: "met" | "cited",
): readonly string[] {
  const areas = new Map<string, { met: number; total: number }>();
  for (const { id } of requirements) {
    const area = areas.get(areaOf(id)) ?? { met: 0, total: 0 };
    areas.set(areaOf(id), { met: area.met + (met.has(id) ? 1 : 0), total: area.total + 1 });
  }
  const all = [...areas.values()].reduce((sum, area) => sum + area.met, 0);
  const width = Math.max(...[...areas.keys()].map((area) => area.length));
  const line = (name: string, count: number, total: number): string =>
    `  ${name.padEnd(width)} ${String(count).padStart(4)} / ${total}`;
  return [
    `Requirements ${word}`,
    ...[...areas].map(([area, { met: count, total }]) => line(area, count, total)),
    line("all", all, requirements.length),
  ];
}
