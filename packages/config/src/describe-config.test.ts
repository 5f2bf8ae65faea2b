import { expect, it } from "vitest";
import { describeConfig } from "./describe-config.ts";
import { loadConfig } from "./load-config.ts";

function rowOf(name: string, env: Readonly<Record<string, string>>): unknown {
  const readFile = (): string => {
    throw Object.assign(new Error("no such file"), { code: "ENOENT" });
  };
  return describeConfig(loadConfig({ env, cwd: "/site", readFile })).find((row) => row.name === name);
}

it.each([
  ["QUARRY_API_KEY", "short", "••••"],
  ["QUARRY_API_KEY", "fifteen-letters", "••••"],
  ["QUARRY_API_KEY", "qk_0123456789abcdef", "••••cdef"],
  ["QUARRY_LLM_KEY", "looks-like://an:address@host", "••••host"],
  ["QUARRY_DATABASE_URL", "postgres://me:s3cret@db:5432/q", "postgres://me:••••@db:5432/q"],
  ["QUARRY_DATABASE_URL", "postgres://me:p@ss@db/q", "postgres://me:••••@db/q"],
  ["QUARRY_DATABASE_URL", "postgres://me@db/q?password=s3cret&x=1", "postgres://me@db/q?password=••••&x=1"],
  ["QUARRY_DATABASE_URL", "postgres:///q?host=/run/pg", "postgres:///q?host=/run/pg"],
])("hides the secret of %s=%s", (name, text, value) => {
  expect(rowOf(name, { [name]: text })).toEqual({ name, value, origin: `env ${name}`, secret: true });
});

it.each([
  ["QUARRY_PORT", "8000", "8000"],
  ["QUARRY_SAMPLE", "false", "0"],
  ["QUARRY_CORS_ORIGINS", "https://a.example, https://b.example", "https://a.example,https://b.example"],
  ["QUARRY_LLM_URL", "https://me:s3cret@models.example/v1", "https://me:••••@models.example/v1"],
  ["QUARRY_LLM_URL", "https://token@models.example/v1", "https://••••@models.example/v1"],
  ["QUARRY_LLM_URL", "https://models.example/v1?api_key=s3cret", "https://models.example/v1?api_key=••••"],
])("shows %s=%s", (name, text, value) => {
  expect(rowOf(name, { [name]: text })).toEqual({ name, value, origin: `env ${name}`, secret: false });
});

it("shows what is unset and what is a default", () => {
  expect(rowOf("QUARRY_PUBLIC_URL", {})).toEqual({
    name: "QUARRY_PUBLIC_URL",
    value: null,
    origin: "default",
    secret: false,
  });
  expect(rowOf("QUARRY_DATA_DIR", {})).toMatchObject({ value: "/site/.quarry", origin: "default" });
});
