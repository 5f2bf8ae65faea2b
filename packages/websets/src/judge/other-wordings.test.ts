import { expect, it } from "vitest";
import { otherWordings } from "./other-wordings.ts";

it.each([
  ["supports single sign-on (SSO)", ["supports single sign-on", "supports SSO", "supports single signon"]],
  [
    "supports SSO (single sign-on) for teams",
    ["supports SSO for teams", "supports single sign-on for teams", "supports single signon for teams"],
  ],
  [
    "reports on environmental, social and governance (ESG) goals",
    ["reports on environmental, social and governance goals", "reports on ESG goals"],
  ],
  ["integrates with chat tools (e.g. Slack, Teams)", ["integrates with chat tools"]],
  ["offers information technology (IT) services", ["offers information technology services", "offers IT services"]],
  ["offers IT (information technology) services", ["offers IT services", "offers information technology services"]],
  ["offers phone support (including weekends)", ["offers phone support (including weekends)"]],
  ["sells lamps (not only bulbs)", ["sells lamps (not only bulbs)"]],
  ["sells lamps", ["sells lamps"]],
])("reads “%s”", (criterion, wordings) => {
  expect(otherWordings(criterion)).toEqual(wordings);
});
