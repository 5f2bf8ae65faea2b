import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { makeConfigFileSchema } from "./config-file-schema.ts";

const file = fileURLToPath(new URL("../quarry.config.schema.json", import.meta.url));

// After a change of a setting: UPDATE_SCHEMA=1 npx vitest run packages/config
it("is what quarry.config.schema.json says", () => {
  const schema = makeConfigFileSchema();
  if (process.env["UPDATE_SCHEMA"] === "1") writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(schema);
});
