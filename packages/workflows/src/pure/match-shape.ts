import type { WorkflowItem } from "../project-item.ts";

/** A condition on what an enrichment found. */
export interface Condition {
  readonly enrichment: string;
  readonly operator: "gte" | "gt" | "lte" | "lt" | "eq" | "contains" | "matches" | "oneOf" | "exists" | "withinDays";
  readonly value?: string | number | boolean | readonly (string | number)[] | undefined;
}

/** Conditions, all or any of which must hold. */
export interface Shape {
  readonly logic: "all" | "any";
  readonly conditions: readonly Condition[];
}

const DAY_MS = 86_400_000;
/** A pattern longer than this is refused: it comes from outside and runs on every item. */
const MAX_PATTERN = 200;

/** Whether an item has the shape. */
export function matchesShape(item: WorkflowItem, shape: Shape, now: Date): boolean {
  const holds = (condition: Condition): boolean => matchesCondition(item, condition, now);
  return shape.logic === "all" ? shape.conditions.every(holds) : shape.conditions.some(holds);
}

/** Whether what an enrichment found meets a condition; what it did not find meets none, but `exists` false. */
export function matchesCondition(item: WorkflowItem, condition: Condition, now: Date): boolean {
  const found = item.enrichmentResults[condition.enrichment] ?? [];
  const { operator, value } = condition;
  if (operator === "exists") return found.length > 0 === (value !== false);
  return found.some((text) => holds(text, operator, value, now));
}

function holds(
  text: string,
  operator: Exclude<Condition["operator"], "exists">,
  value: Condition["value"],
  now: Date,
): boolean {
  const number = Number.parseFloat(text);
  const limit = Number(value);
  switch (operator) {
    case "gte":
      return number >= limit;
    case "gt":
      return number > limit;
    case "lte":
      return number <= limit;
    case "lt":
      return number < limit;
    case "eq":
      return text.toLowerCase() === String(value).toLowerCase() || (typeof value === "number" && number === value);
    case "contains":
      return text.toLowerCase().includes(String(value).toLowerCase());
    case "matches":
      return readPattern(value)?.test(text) ?? false;
    case "oneOf":
      return (
        Array.isArray(value) && value.some((one: string | number) => String(one).toLowerCase() === text.toLowerCase())
      );
    case "withinDays": {
      const age = now.getTime() - Date.parse(text);
      return Math.abs(age) <= limit * DAY_MS;
    }
  }
}

/** A pattern that cannot run away, without groups that repeat and without look-around; undefined for any other value. */
export function readPattern(value: Condition["value"]): RegExp | undefined {
  if (typeof value !== "string" || value.length > MAX_PATTERN || /[+*}]\)?[+*{]|\(\?[=!<]|\)[+*{]/.test(value))
    return undefined;
  try {
    return new RegExp(value, "iu");
  } catch {
    return undefined; // not a pattern: it matches nothing
  }
}
