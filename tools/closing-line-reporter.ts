import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";

/** Ends a run on the one line that other programs read: `N passed, N failed, N skipped`. */
export default class ClosingLineReporter implements Reporter {
  #isWholeRun = true;

  onInit(vitest: Vitest): void {
    this.#isWholeRun = vitest.config.testNamePattern === undefined;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) count[stateOf(test)] += 1;
      // With a pattern of names, the others skip because that was asked for.
      if (this.#isWholeRun) count.failed += reportSkipped(tests);
      reportRetried(tests);
      // A file that cannot even be loaded has no tests to fail: count the file.
      if (module.state() === "failed" && !tests.some((test) => stateOf(test) === "failed")) count.failed += 1;
    }
    count.failed += unhandledErrors.length;
    // Printed last, after the default reporter's own summary.
    process.on("exit", () => {
      process.stdout.write(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`);
    });
  }
}

/**
 * Says what each skipped test lacked. On a machine of our own a test may lack a browser or a server; CI installs them all, so
 * there a skip is a fault.
 */
function reportSkipped(tests: readonly TestCase[]): number {
  const isCi = process.env["CI"] !== undefined;
  const skipped = tests.filter((test) => stateOf(test) === "skipped");
  for (const test of skipped) {
    const result = test.result();
    const reason = result.state === "skipped" && result.note !== undefined ? `: ${result.note}` : "";
    process.stdout.write(`${isCi ? "nothing may skip in CI" : "skipped"}: ${test.fullName}${reason}\n`);
  }
  if (!isCi) return 0;
  if (skipped.length > 0) process.exitCode = 1;
  return skipped.length;
}

/** A test that passed only when asked again has a fault, or names one of the product's: why it failed is told, or nobody would look. */
function reportRetried(tests: readonly TestCase[]): void {
  for (const test of tests) {
    const result = test.result();
    if (result.state !== "passed") continue;
    for (const error of result.errors ?? []) {
      process.stdout.write(`passed when asked again: ${test.fullName}: ${error.message}\n${error.diff ?? ""}\n`);
    }
  }
}

function stateOf(test: TestCase): "passed" | "failed" | "skipped" {
  const { state } = test.result();
  return state === "pending" ? "failed" : state;
}
