import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { verifies } from "@quarry/tests";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runPdfWorker } from "./run-pdf-worker.ts";
import { onePagePdf } from "./testing-pdf.ts";

let folder = "";
let workerUrl = new URL("file:///");

beforeAll(async () => {
  // below the package, so that the bundle finds what stays outside it
  folder = mkdtempSync(path.join(import.meta.dirname, "..", "node_modules-test-"));
  const outfile = path.join(folder, "pdf-worker.mjs");
  await build({
    entryPoints: [path.join(import.meta.dirname, "pdf-worker.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["source"],
    packages: "external",
  });
  workerUrl = pathToFileURL(outfile);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const url = "https://example.org/a.pdf";

describe("runPdfWorker", () => {
  verifies("extract:types:pdf", "reads a PDF in a thread", async () => {
    const bytes = onePagePdf(["Hello from a thread"]);
    const reply = await runPdfWorker({ url, bytes }, { workerUrl, signal: new AbortController().signal });
    expect(reply.kind === "extracted" && reply.document.text).toBe("Hello from a thread");
  });

  verifies("extract:robust:malformed-pdf", "answers `broken` for what is no PDF", async () => {
    const bytes = new TextEncoder().encode("no pdf");
    const reply = await runPdfWorker({ url, bytes }, { workerUrl, signal: new AbortController().signal });
    expect(reply).toMatchObject({ kind: "failed", reason: "broken" });
  });

  it("rejects, rather than fails, when aborted", async () => {
    const stop = new AbortController();
    const reply = runPdfWorker({ url, bytes: onePagePdf(["x"]) }, { workerUrl, signal: stop.signal });
    stop.abort();
    await expect(reply).rejects.toThrow("aborted");
  });
});
