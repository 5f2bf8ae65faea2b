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
  ["/websets/v0/websets/https://example.org/a", "/websets/v0/websets/https:%2F%2Fexample.org%2Fa"],
  ["/v0/websets/team/q1/items?limit=5", "/v0/websets/team%2Fq1/items?limit=5"],
  ["/v0/websets/team%2Fq1/items", "/v0/websets/team%2Fq1/items"],
  ["/v0/websets/a/b/c/cancel", "/v0/websets/a%2Fb%2Fc/cancel"],
  [
    "/v0/websets/a/b/searches/wsearch_01kabcdefghjkmnpqrstvwxyz0/cancel",
    "/v0/websets/a%2Fb/searches/wsearch_01kabcdefghjkmnpqrstvwxyz0/cancel",
  ],
  ["/v0/websets/webset_1/items/unknown", "/v0/websets/webset_1/items/unknown"],
  ["/quarry/v1/websets/a/b/items?projection=card", "/quarry/v1/websets/a%2Fb/items?projection=card"],
  ["", "/"],
  ["*", "/*"],
])("turns %j into %j", (target, expected) => {
  expect(rewriteUrl(target)).toBe(expected);
});
