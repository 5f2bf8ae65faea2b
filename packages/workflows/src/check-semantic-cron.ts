import { AppError } from "@quarry/base";
import { checkCadence } from "@quarry/websets";
import { readPattern, type Condition } from "./pure/match-shape.ts";
import type { WorkflowArgs } from "./workflow-args.ts";

type CronArgs = WorkflowArgs<"semantic.cron">;

const MONITOR_RULES = {
  atMost: "daily",
  names: { cron: "args.monitor.cron", timezone: "args.monitor.timezone" },
} as const;

/**
 * Refuses what fits the schema of semantic.cron and still could never work: a schedule that is none, names that no lens or
 * enrichment has, conditions without a value. Throws `invalid_request` with the first wrong field and how to mend it.
 */
export function checkSemanticCron({ lenses, shapes, join, signal, monitor }: CronArgs, now: Date): void {
  if (monitor !== undefined) {
    checkCadence({ cron: monitor.cron, timezone: monitor.timezone ?? "Etc/UTC" }, now, MONITOR_RULES);
  }
  const names = lenses.map(({ name }) => name);
  const checkLens = (field: string, name: string): void => {
    if (!names.includes(name))
      refuse(field, `there is no lens ${quote(name)}; name one of ${names.map(quote).join(", ")}`);
  };
  const checkEnrichment = (field: string, wanted: string, looked: CronArgs["lenses"]): void => {
    const known = looked.flatMap(({ enrichments = [] }) => enrichments.map(({ description }) => description));
    if (known.includes(wanted)) return;
    const fix = known.length === 0 ? "add it to the lens's enrichments" : `use one of ${known.map(quote).join(", ")}`;
    refuse(field, `no enrichment is described as ${quote(wanted)}; ${fix}`);
  };
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) < index)
      refuse(`lenses.${index}.name`, `${quote(name)} stands twice; give each lens its own`);
  }
  for (const [index, { lens, conditions }] of shapes.entries()) {
    checkLens(`shapes.${index}.lens`, lens);
    for (const [place, condition] of conditions.entries()) {
      const field = `shapes.${index}.conditions.${place}`;
      const its = lenses.filter(({ name }) => name === lens);
      checkEnrichment(`${field}.enrichment`, condition.enrichment, its);
      const wanted = wantedValue(condition);
      if (wanted !== undefined) refuse(`${field}.value`, `${condition.operator} takes ${wanted}`);
    }
  }
  if (join.by === "value" && join.enrichment === undefined) {
    refuse("join.enrichment", "a join by value needs the description of the enrichment that holds it");
  }
  if (join.enrichment !== undefined) checkEnrichment("join.enrichment", join.enrichment, lenses);
  if ((join.minLenses ?? 1) > lenses.length) {
    refuse("join.minLenses", `there are ${lenses.length} lenses, so no join has more; give at most that`);
  }
  if (signal.requires !== "combination") return;
  const combinations = signal.combinations ?? [];
  if (combinations.every((one) => one.length === 0)) {
    refuse("signal.combinations", `a signal by combination needs lists of lenses, such as ${JSON.stringify([names])}`);
  }
  for (const [index, combination] of combinations.entries()) {
    for (const name of combination) checkLens(`signal.combinations.${index}`, name);
  }
}

/** What a condition would need for its value; undefined when it has that. */
function wantedValue({ operator, value }: Condition): string | undefined {
  switch (operator) {
    case "gte":
    case "gt":
    case "lte":
    case "lt":
    case "withinDays":
      return typeof value !== "object" && value !== "" && Number.isFinite(Number(value)) ? undefined : "a number";
    case "eq":
    case "contains":
      return value === undefined || typeof value === "object" ? "a text or a number" : undefined;
    case "matches":
      return readPattern(value) === undefined
        ? "a regular expression of at most 200 characters, without groups that repeat and without look-around"
        : undefined;
    case "oneOf":
      return typeof value === "object" && value.length > 0 ? undefined : "a list of texts or numbers";
    case "exists":
      return undefined;
  }
}

function refuse(field: string, fix: string): never {
  throw new AppError("invalid_request", `args.${field}: ${fix}`, { details: { field: `args.${field}` } });
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
