import { expect, it } from "vitest";
import { judgeByRules } from "./judge-by-rules.ts";

const entity = { type: "company" as const, name: "Gardenly", aliases: [], url: "https://gardenly.example/" };

it.each([
  ["Public API | ✓", "yes"],
  ["Public API | ✗", "no"],
  ["✓ Public API ✗ SSO", "yes"],
  ["✗ Public API ✓ SSO", "no"],
  ["Features: ✓ Public API ✗ SSO", "yes"],
  ["Public API ✗ SSO ✓", "no"],
  ["SSO ✗ Public API ✓", "yes"],
  ["Public API\n✓", "yes"],
  // of two columns one may be another's
  ["Public API | ✗ | ✓", "unclear"],
  ["Public API | ✓ | ✗", "unclear"],
])("reads the mark that stands with the words: %s", (text, satisfied) => {
  const page = { url: entity.url, title: "Plans", text, snapshotId: "s1" };
  expect(judgeByRules({ entity, criterion: "has a public API", pages: [page] })).toMatchObject({ satisfied });
});
