import { expect, it } from "vitest";
import { isUrl } from "./is-url.ts";

it("knows a URL in any script, also when it was asked often enough to be compiled", () => {
  for (let count = 0; count < 200_000; count += 1) isUrl("https://example.com/");
  const given = [
    "https://münchen.de/größe",
    "https://例え.jp/",
    "https://e.org/é",
    "e.org",
    "",
    "http://[",
    "https://a b/",
  ];
  expect(given.filter((text) => isUrl(text))).toEqual(given.slice(0, 3));
});

it("reads from a base", () => {
  expect([isUrl("../ü", "https://müller.example/a/b"), isUrl("/x", "no base")]).toEqual([true, false]);
});
