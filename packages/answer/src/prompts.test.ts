import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";

const FOLDER = path.dirname(fileURLToPath(import.meta.url));

verifies("models:llm:prompts-in-files", "every prompt stands in a file of prompts beside its code", () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.endsWith("testing.ts"),
  );
  const prompting = files.filter((name) => readFileSync(path.join(FOLDER, name), "utf8").includes('role: "system"'));
  expect(prompting.length).toBeGreaterThan(1);
  expect(prompting.filter((name) => !/-prompts?\.ts$/.test(name))).toEqual([]);
});
