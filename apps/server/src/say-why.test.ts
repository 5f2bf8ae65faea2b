import { AppError } from "@quarry/base";
import { expect, it } from "vitest";
import { listenOnOnePort } from "./one-port-listener.ts";
import { sayWhy } from "./say-why.ts";

it.each([
  ["192.0.2.1", /^this machine has no such address \(.*192\.0\.2\.1.*\): set QUARRY_HOST to one of its own$/],
  [
    "nowhere.invalid",
    /^the host to listen on .* \(.*nowhere\.invalid.*\): set QUARRY_HOST to an address of this machine$/,
  ],
])("says in a sentence why nothing can listen on %s", async (host, sentence) => {
  const failed = listenOnOnePort(() => undefined, { host, port: 0, onClientError: () => undefined });
  const error: unknown = await failed.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(sayWhy(error)).toMatch(sentence);
});

it("gives the stack only of what nobody foresaw", () => {
  expect(sayWhy(new AppError("unavailable", "the disk is full"))).toBe("the disk is full");
  expect(sayWhy(new Error("odd"))).toMatch(/^Error: odd\n +at /);
});

it("says which place of the disk failed, to the person who starts it", () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, mkdir '/data/x'"), { code: "ENOSPC" });
  expect(sayWhy(full)).toMatch(/^the server's disk is full.*\(ENOSPC: .* mkdir '\/data\/x'\)$/);
});
