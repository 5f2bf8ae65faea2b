import { AppError } from "@quarry/base";
import { describe, expect, it } from "vitest";
import { checkWorkflow } from "./check-workflow.ts";

const now = new Date("2026-11-16T09:00:00Z");
const lens = { name: "bikes", query: "bikes", enrichments: [{ description: "Employees" }] };
const whole = {
  lenses: [lens, { name: "news", query: "news" }],
  shapes: [{ lens: "bikes", conditions: [{ enrichment: "Employees", operator: "gte", value: 20 }] }],
  join: { by: "entity" },
  signal: { requires: "combination", combinations: [["bikes", "news"]] },
  monitor: { cron: "0 9 * * 1" },
};
const condition = (given: object): object => ({
  shapes: [{ lens: "bikes", conditions: [{ enrichment: "Employees", ...given }] }],
});

function faultOf(change: object): string {
  try {
    checkWorkflow("semantic.cron", { ...whole, ...change }, now);
    return "";
  } catch (error) {
    const { code, message } = AppError.from(error);
    return `${code}: ${message}`;
  }
}

describe("what can be known of a workflow before it begins", () => {
  it("lets a whole semantic.cron pass, and one with a single lens", () => {
    expect(faultOf({})).toBe("");
    expect(faultOf({ lenses: [lens], signal: { requires: "any" } })).toBe("");
  });

  it.each([
    [{ monitor: { cron: "every day" } }, "args.monitor.cron: expected five fields"],
    [{ monitor: { cron: "* * * * *" } }, 'such as "0 9 * * *"'],
    [{ monitor: { cron: "0 9 31 2 *" } }, "never comes"],
    [{ monitor: { cron: "0 9 * * *", timezone: "Mars/Olympus" } }, 'give one such as "Europe/Berlin"'],
    [{ lenses: [lens, lens] }, "args.lenses.1.name"],
    [
      { shapes: [{ ...whole.shapes[0], lens: "cars" }] },
      'args.shapes.0.lens: there is no lens "cars"; name one of "bikes"',
    ],
    [condition({ enrichment: "Staff", operator: "exists" }), 'use one of "Employees"'],
    [condition({ operator: "gte", value: "many" }), "args.shapes.0.conditions.0.value: gte takes a number"],
    [condition({ operator: "eq" }), "eq takes a text or a number"],
    [condition({ operator: "matches", value: "(a+)+" }), "matches takes a regular expression"],
    [condition({ operator: "oneOf", value: "a" }), "oneOf takes a list"],
    [{ join: { by: "value" } }, "args.join.enrichment"],
    [{ join: { by: "value", enrichment: "Town" } }, "args.join.enrichment"],
    [{ join: { by: "entity", minLenses: 3 } }, "args.join.minLenses: there are 2 lenses"],
    [{ signal: { requires: "combination" } }, 'such as [["bikes","news"]]'],
    [{ signal: { requires: "combination", combinations: [["cars"]] } }, "args.signal.combinations.0"],
    [{ webhookUrl: "ftp://hooks.example" }, "args.webhookUrl"],
  ])("refuses %j with the field and the fix", (change, told) => {
    const fault = faultOf(change);
    expect(fault).toContain("invalid_request: args.");
    expect(fault).toContain(told);
  });
});
