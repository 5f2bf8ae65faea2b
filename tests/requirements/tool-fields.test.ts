import { describe, expect, it } from "vitest";
import { allRequirements } from "./all-requirements.ts";
import { toolFields, unlistedFields } from "./tool-fields.ts";
import { verifies } from "./verifies.ts";

const ids = allRequirements.map(({ id }) => id);

describe("the fields of the tools", () => {
  verifies(
    "tools:workspace:fields:every-field-has-id",
    "have each a requirement, which the check of requirements wants a test for",
    () => {
      const fields = toolFields();
      expect(fields.length).toBeGreaterThan(250);
      expect(unlistedFields(fields, ids)).toEqual([]);
    },
  );

  it("are missed by name when nobody speaks of them", () => {
    const fields = [
      { tool: "read-file", side: "params", field: "brand-new" },
      { tool: "read-file", side: "result", field: "contents" },
    ] as const;
    expect(unlistedFields(fields, ids)).toEqual(["tools:read-file:params:brand-new"]);
  });
});
