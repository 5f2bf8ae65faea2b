import { nearestName } from "@quarry/base";
import { InvalidArgumentError } from "commander";

/** Reads a number of at least `min`; commander adds the option's name to the complaint. */
export function parseNumber(min: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === "" || !Number.isFinite(value) || value < min) {
      throw new InvalidArgumentError(`Expected a number of at least ${min}.`);
    }
    return value;
  };
}

/** Reads a whole number from `min` to `max`. */
export function parseInteger(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
    }
    return value;
  };
}

/** Reads a comma list of names out of `choices`. */
export function parseChoices<Choice extends string>(choices: readonly Choice[]): (text: string) => readonly Choice[] {
  return (text) =>
    text.split(",").map((part) => {
      const name = part.trim();
      const choice = choices.find((candidate) => candidate === name);
      if (choice !== undefined) return choice;
      const hint = name === "" ? "" : ` Did you mean ${nearestName(name, choices) ?? ""}?`;
      throw new InvalidArgumentError(`"${name}" is not one of ${choices.join(", ")}.${hint}`);
    });
}

/** Reads an instant or a date, as the API takes them. */
export function parseInstant(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError("Expected a date such as 2030-01-31, or an instant such as 2030-01-31T12:00:00Z.");
}

/** What takes a limit away. A word, because commander takes null for an option without a value. */
export const NONE = "none";

/** Reads what `parse` reads, or `none`. */
export function orNone<Value>(parse: (text: string) => Value): (text: string) => Value | typeof NONE {
  return (text) => (text === NONE ? NONE : parse(text));
}

/** Gathers the values of an option that may be given several times. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}
