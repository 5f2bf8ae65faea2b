import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { verifies } from "../requirements/verifies.ts";
import { findOutsideAwaits } from "./awaits-in-transactions.ts";
import { repositoryFiles, repositoryRoot } from "./repository-files.ts";

/** What is awaited inside a transaction without naming it, and why that asks nobody outside. */
const ALLOWED: Readonly<Record<string, string>> = {
  "blobs?.get(key)": "a backup reads the archive at the moment its transaction holds, and holds no lock",
  "flush()": "writes rows in the transaction it closes over",
  "putBack()": "puts constraints back in the transaction that lifted them",
  "readQuery(deps, wish)": "reads a query by rule; a model is asked later, by a job",
};

describe("findOutsideAwaits", () => {
  it("finds what a transaction waits for beside the database", () => {
    const source = `
      const a = db.transaction(async (tx) => { await insert(tx, row); await dialer.fetch(request); });
      async function b(tx: Transaction) { const rows = await tx.query(sql); return await model.ask(rows); }
      const c = db.transaction((tx) => tx.query(sql));
      async function d() { await dialer.fetch(request); }`;
    expect(findOutsideAwaits("x.ts", source).map(({ line, awaited }) => [line, awaited])).toEqual([
      [2, "dialer.fetch(request)"],
      [3, "model.ask(rows)"],
    ]);
  });
});

verifies("store:transactions:no-outside-call", "no transaction waits for anything but the database", () => {
  const sources = repositoryFiles().filter(
    (file) => /^(?:packages|apps)\/.*\.ts$/.test(file) && !/\.test\.ts$|testing|\/generated\//.test(file),
  );
  const found = sources.flatMap((file) =>
    findOutsideAwaits(file, readFileSync(path.join(repositoryRoot, file), "utf8")),
  );
  expect(found.filter(({ awaited }) => !(awaited in ALLOWED))).toEqual([]);
  expect(Object.keys(ALLOWED).filter((awaited) => !found.some((one) => one.awaited === awaited))).toEqual([]);
});
