import path from "node:path";
import { describeData } from "@quarry/crawl/testing";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { judgePatches } from "./edits-patches.ts";
import { judgeDiffs, judgeLazyEdits, type JudgedEdit } from "./edits.ts";

const named = (cases: readonly JudgedEdit[], verdict: JudgedEdit["verdict"]) =>
  cases.filter((each) => each.verdict === verdict).map(({ name }) => name);

describeData("codex-apply-patch", (folder) => {
  verifies(
    "tools:edit-file:quality:codex-cases",
    "patches come out as expected, but for one that others half apply and we refuse whole",
    async () => {
      const cases = await judgePatches(path.join(folder, "scenarios"));
      expect(named(cases, "wrong")).toEqual([]);
      expect(named(cases, "refused")).toEqual(["015_failure_after_partial_success_leaves_changes"]);
      expect(named(cases, "right")).toHaveLength(15);
    },
    60_000,
  );
});

describeData("continue-lazy-edits", (folder) => {
  verifies(
    "tools:edit-file:quality:lazy-edit-cases",
    "edits that leave code out are filled in right, or refused",
    () => {
      const cases = judgeLazyEdits(path.join(folder, "lazy"));
      expect(named(cases, "wrong")).toEqual([]);
      expect(named(cases, "right").length).toBeGreaterThanOrEqual(9);
      expect(named(judgeDiffs(path.join(folder, "diff")), "wrong")).toEqual([]);
    },
  );
});
