import { expect, it } from "vitest";
import { rewriteUrl } from "./rewrite-url.ts";

it.each([
  ["/search", "/search"],
  ["//search", "/search"],
  ["///websets//v0///websets", "/websets/v0/websets"],
  ["/search?", "/search"],
  ["/events?types=a&types=b", "/events?types=a&types=b"],
  ["/search?next=//example.org", "/search?next=//example.org"],
  ["http://127.0.0.1:7700/search?x=1", "/search?x=1"],
  ["http://127.0.0.1:7700", "/"],
  ["/websets/v0/websets/https://example.org/a", "/websets/v0/websets/https://example.org/a"],
  ["", "/"],
  ["*", "/*"],
])("turns %j into %j", (target, expected) => {
  expect(rewriteUrl(target)).toBe(expected);
});
