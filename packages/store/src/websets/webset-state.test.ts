import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { statusOfWebset, type WebsetActivity, type WebsetSearchStatus } from "./webset-state.ts";

const QUIET: WebsetActivity = { isPaused: false, searches: [], hasOpenCells: false, hasOpenWork: false };
const SEARCHES: readonly (readonly WebsetSearchStatus[])[] = [
  [],
  ["created"],
  ["pending"],
  ["running"],
  ["completed"],
  ["canceled"],
  ["completed", "created"],
  ["completed", "pending"],
  ["completed", "running"],
  ["running", "pending"],
];

describe("the status of a webset", () => {
  verifies("websets:status:running", "is running while a search, a cell, an import or a monitor's run works", () => {
    expect(statusOfWebset({ ...QUIET, searches: ["running"] })).toBe("running");
    expect(statusOfWebset({ ...QUIET, searches: ["completed", "running"] })).toBe("running");
    for (const searches of SEARCHES) {
      expect(statusOfWebset({ ...QUIET, searches, hasOpenCells: true })).toBe("running");
      // Imports and runs of monitors are the webset's open work.
      expect(statusOfWebset({ ...QUIET, searches, hasOpenWork: true })).toBe("running");
      expect(statusOfWebset({ ...QUIET, searches, hasOpenWork: true, isPaused: true })).toBe("paused");
    }
  });

  verifies(
    "websets:status:computed",
    "follows from its parts: pending before anything began, idle when all is done",
    () => {
      const statusOf = (searches: readonly WebsetSearchStatus[]) => statusOfWebset({ ...QUIET, searches });
      expect(SEARCHES.map(statusOf)).toEqual([
        "idle",
        "pending",
        "pending",
        "running",
        "idle",
        "idle",
        "running",
        "running",
        "running",
        "running",
      ]);
    },
  );
});
