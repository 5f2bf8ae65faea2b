import path from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { allRequirements } from "../tests/requirements/all-requirements.ts";
import { findCitations } from "../tests/requirements/find-citations.ts";
import { metRequirements, type CitingTest } from "../tests/requirements/met-requirements.ts";
import { progressLines } from "../tests/requirements/progress.ts";
import { areaOf } from "../tests/requirements/requirement.ts";
// Declares the `verifies` key of a test's metadata.
import type {} from "../tests/requirements/verifies.ts";

/**
 * Prints the progress report: per area, how many requirements are met. A run of
 * some files shows the areas they cite; one without citations shows nothing.
 */
export default class RequirementsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(citingTests);
    if (tests.length === 0) return;
    const root = path.resolve(import.meta.dirname, "..");
    const filesRun = new Set(modules.map(({ moduleId }) => path.relative(root, moduleId).replaceAll(path.sep, "/")));
    const { met, touched, isWholeSuite } = metRequirements(tests, findCitations(root).citations, filesRun);
    const areas = new Set([...touched].map(areaOf));
    const shown = allRequirements.filter(({ id }) => isWholeSuite || areas.has(areaOf(id)));
    process.stdout.write(`\n${progressLines(shown, met, "met").join("\n")}\n`);
  }
}

function citingTests(module: TestModule): readonly CitingTest[] {
  return [...module.children.allTests()].flatMap((test) => {
    const ids = test.meta().verifies;
    return ids === undefined ? [] : [{ ids, passed: test.result().state === "passed" }];
  });
}
