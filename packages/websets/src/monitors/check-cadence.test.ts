import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { checkCadence } from "./check-cadence.ts";

const now = new Date("2026-03-01T12:00:00Z");
const check = (cron: string, timezone = "Etc/UTC"): void => checkCadence({ cron, timezone }, now);

describe("a cadence", () => {
  it.each([
    "0 9 * * *",
    "30 6 1 * *",
    "0 0 * * MON-FRI",
    "15 23 */2 JAN,JUL 0",
    "0 */24 * * *",
    " 5  4 * * 7 ",
    "0 9 29 2 *",
  ])("may be %s", (cron) => expect(() => check(cron)).not.toThrow());

  verifies("monitors:create:cron-five-fields", "that is wrong is refused by the field's name", () => {
    for (const [cron, message] of [
      ["0 9 * *", /five fields .* received 4/],
      ["0 0 9 * * *", /received 6/],
      ["@daily", /received 1/],
      ["61 9 * * *", /minute field "61"/],
      ["0 24 * * *", /hour field "24"/],
      ["0 9 0 * *", /day of month field "0"/],
      ["0 9 * 13 *", /month field "13"/],
      ["0 9 * * 8", /day of week field "8"/],
      ["0 9 L * *", /day of month field "L"/],
      ["0 9 5-2 * *", /from the smaller/],
      ["0 9 */0 * *", /step/],
      ["0 9 1- * *", /day of month/],
      ["0 9 30 2 *", /never comes/],
    ] as const) {
      expect(() => check(cron), cron).toThrow(message);
      expect(() => check(cron), cron).toThrow(/^cadence\.cron: /);
    }
  });

  verifies("monitors:create:at-most-daily", "that comes more than once a day is refused", () => {
    for (const cron of ["0 */6 * * *", "* * * * *", "0,30 9 * * *", "0 9,17 * * *", "0 8-9 * * *", "*/30 9 * * *"]) {
      expect(() => check(cron), cron).toThrow(/more than once a day/);
    }
  });

  it("needs a time zone that there is", () => {
    expect(() => check("0 9 * * *", "Mars/Base")).toThrow(/cadence\.timezone: "Mars\/Base"/);
  });
});
