import path from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { allRequirements } from "../tests/requirements/all-requirements.ts";
import { findCitations } from "../tests/requirements/find-citations.ts";
import { progressLines } from "../tests/requirements/progress.ts";
import { areaOf } from "../tests/requirements/requirement.ts";
// Declares the `verifies` key of a test's metadata.
import type {} from "../tests/requirements/verifies.ts";

/**
 * Prints the progress report: per area, how many requirements are met. A
 * requirement is met when every test that cites it ran and passed. A run of
 * some files shows the areas they cite; one without citations shows nothing.
 */
export default class RequirementsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const outcomes = outcomesByRequirement(modules);
    if (outcomes.size === 0) return;
    const root = path.resolve(import.meta.dirname, "..");
    const { citations } = findCitations(root);
    const ran = new Set(modules.map(({ moduleId }) => path.relative(root, moduleId).replaceAll(path.sep, "/")));
    const missed = new Set(citations.filter(({ file }) => !ran.has(file)).map(({ id }) => id));
    const met = new Set([...outcomes].filter(([id, passed]) => passed && !missed.has(id)).map(([id]) => id));
    const isWholeSuite = missed.size === 0;
    const touched = new Set([...outcomes.keys()].map(areaOf));
    const shown = allRequirements.filter(({ id }) => isWholeSuite || touched.has(areaOf(id)));
    process.stdout.write(`\n${progressLines(shown, met, "met").join("\n")}\n`);
  }
}

/** Whether every test of this run that cites an id passed. */
function outcomesByRequirement(modules: readonly TestModule[]): ReadonlyMap<string, boolean> {
  const outcomes = new Map<string, boolean>();
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      for (const id of test.meta().verifies ?? []) {
        outcomes.set(id, test.result().state === "passed" && outcomes.get(id) !== false);
      }
    }
  }
  return outcomes;
}
