import { build } from "esbuild";
import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { makeDirectory, openTestIndex } from "./testing.ts";
import { makeVector } from "./testing-pages.ts";

const ROUNDS = 6;
const MAX_ACKNOWLEDGEMENTS = 30;
/** As the program has it. */
const PAGES_A_BATCH = 20;
const source = path.dirname(fileURLToPath(import.meta.url));
const team = { teamIds: ["team"] };

/** What the writer said it had done to a page: the last acknowledged version, and the last that may be under way. */
interface Acknowledged {
  version: number;
  isRemoved: boolean;
  hasChunk: boolean;
}

it("loses nothing acknowledged and doubles nothing when killed at any moment", async () => {
  const program = await buildProgram();
  const url = makeDirectory();
  const known = new Map<string, Acknowledged>();
  let version = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const acknowledgements = Math.floor(Math.random() * MAX_ACKNOWLEDGEMENTS);
    const delayMs = Math.random() * 40;
    await runUntilKilled(program, [url, String(version), String(round + 1)], { acknowledgements, delayMs }, (line) => {
      for (const [page, itsVersion] of line.done) {
        const before = known.get(page);
        version = Math.max(version, itsVersion);
        if (line.kind === "embedded") {
          if (before?.version === itsVersion) before.hasChunk = true;
        } else if (before === undefined || before.version < itsVersion) {
          known.set(page, { version: itsVersion, isRemoved: line.kind === "removed", hasChunk: false });
        }
      }
    });
    const index = await openTestIndex({ url });
    const versions = new Map<string, { readonly version: number; readonly chunkCount: number }>();
    for (let after: string | null = ""; after !== null;) {
      const part = await index.listVersions({ after, limit: 100 });
      for (const one of part.versions) {
        expect(versions.has(one.url)).toBe(false);
        versions.set(one.url, one);
      }
      after = part.next;
    }
    const context = `round ${round}, after ${acknowledgements} acknowledgements and ${delayMs.toFixed(1)} ms`;
    let underWay = 0;
    for (const [page, { version: acknowledged, isRemoved, hasChunk }] of known) {
      const found = versions.get(page);
      if (found === undefined ? !isRemoved : found.version > acknowledged) underWay += 1;
      if (found !== undefined) expect([context, page, found.version >= acknowledged]).toEqual([context, page, true]);
      if (found?.version !== acknowledged) continue;
      expect([context, page, isRemoved, found.chunkCount <= 1]).toEqual([context, page, false, true]);
      if (hasChunk) expect([context, page, found.chunkCount]).toEqual([context, page, 1]);
    }
    // One batch may have come further than its acknowledgement; nothing else may differ.
    expect([context, underWay <= PAGES_A_BATCH]).toEqual([context, true]);
    const hits = await index.findByWords({ text: "apple" }, team, { limit: 1_000 });
    expect(hits.map((hit) => `${hit.url} ${hit.version}`).sort()).toEqual(
      [...versions].map(([page, one]) => `${page} ${one.version}`).sort(),
    );
    expect(await index.count(team)).toBe(versions.size);
    for (const { url: page, version: its } of await index.findByVector(makeVector(0, 0.5), team, { limit: 1_000 })) {
      expect(versions.get(page)?.version).toBe(its);
    }
    version = Math.max(version, ...[...versions.values()].map((one) => one.version)) + 1_000; // past what was under way
    for (const [page, one] of versions) {
      known.set(page, { version: one.version, isRemoved: false, hasChunk: one.chunkCount === 1 });
    }
    for (const page of known.keys()) if (!versions.has(page)) known.delete(page);
    await index.close();
  }
}, 180_000);

interface Line {
  readonly kind: "added" | "removed" | "embedded";
  readonly done: readonly (readonly [string, number])[];
}

/** Starts the program and kills it `delayMs` after so many acknowledgements; every line it printed is handed on. */
async function runUntilKilled(
  program: string,
  args: readonly string[],
  until: { readonly acknowledgements: number; readonly delayMs: number },
  onLine: (line: Line) => void,
): Promise<void> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let left = until.acknowledgements;
  let isDying = false;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line !== "ready") onLine(JSON.parse(line) as Line);
    left -= 1;
    if (left > 0 || isDying) continue;
    isDying = true;
    setTimeout(() => child.kill("SIGKILL"), until.delayMs);
  }
  expect(isDying).toBe(true);
}

async function buildProgram(): Promise<string> {
  const directory = path.join(source, "../../../node_modules/.cache/retrieval-tests");
  mkdirSync(directory, { recursive: true });
  const outfile = path.join(directory, `keep-writing-${process.pid}.mjs`);
  onTestFinished(() => rmSync(outfile, { force: true }));
  await build({
    entryPoints: [path.join(source, "test-programs", "keep-writing.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    conditions: ["source"],
    external: ["@lancedb/lancedb", "apache-arrow", "@orama/stemmers/*"],
    logLevel: "warning",
  });
  return outfile;
}
