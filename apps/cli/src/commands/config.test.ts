import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { cliWorld } from "../testing.ts";

verifies(
  ["config:print:value-and-origin", "cli:config:print"],
  "shows every setting with value and origin",
  async () => {
    const { code, stdout } = await cliWorld({ env: { QUARRY_PORT: "8000" } }).run("config", "print");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^NAME +VALUE +ORIGIN$/m);
    expect(stdout).toMatch(/^QUARRY_PORT +8000 +env QUARRY_PORT$/m);
    expect(stdout).toMatch(/^QUARRY_HOST +127\.0\.0\.1 +default$/m);
    expect(stdout).toMatch(/^QUARRY_PUBLIC_URL +- +default$/m);
  },
);

verifies("config:print:secrets-hidden", "hides secrets, as text and as JSON", async () => {
  const env = { QUARRY_API_KEY: "a-very-secret-key-1234", QUARRY_DATABASE_URL: "postgres://me:hunter2@db/q" };
  const world = cliWorld({ env });
  const [text, json] = [await world.run("config", "print"), await world.run("config", "print", "--set", "--json")];
  expect(text.stdout + json.stdout).not.toMatch(/a-very-secret|hunter2/);
  expect(JSON.parse(json.stdout)).toContainEqual({
    name: "QUARRY_API_KEY",
    value: "••••1234",
    origin: "env QUARRY_API_KEY",
    secret: true,
  });
});

it("ends with code 2 and every problem when the settings are wrong", async () => {
  const result = await cliWorld({ env: { QUARRY_PROT: "1", QUARRY_PORT: "x" } }).run("config", "print");
  expect(result).toMatchObject({ code: 2, stdout: "" });
  expect(result.stderr).toContain("QUARRY_PROT is not a setting; did you mean QUARRY_PORT?");
  expect(result.stderr).toContain('QUARRY_PORT is "x"');
});
