import { expect, it } from "vitest";
import { readObjectStorage } from "./object-storage.ts";

it("takes keys, region and endpoint by their usual names", () => {
  expect(
    readObjectStorage({
      AWS_ACCESS_KEY_ID: "id",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_DEFAULT_REGION: "eu-west-1",
      AWS_ENDPOINT_URL: "https://storage.example.com",
      AWS_SESSION_TOKEN: "",
    }),
  ).toEqual({
    aws_access_key_id: "id",
    aws_secret_access_key: "secret",
    aws_region: "eu-west-1",
    aws_endpoint: "https://storage.example.com",
  });
});

it.each([
  ["http://127.0.0.1:9000", undefined, "true"],
  ["http://[::1]:9000", undefined, "true"],
  ["http://storage.example.com", undefined, undefined],
  ["http://storage.example.com", "true", "true"],
  ["not an address", undefined, undefined],
])("speaks without encryption to %s (AWS_ALLOW_HTTP %s): %s", (endpoint, allowed, expected) => {
  expect(readObjectStorage({ AWS_ENDPOINT_URL: endpoint, AWS_ALLOW_HTTP: allowed })["allow_http"]).toBe(expected);
});
