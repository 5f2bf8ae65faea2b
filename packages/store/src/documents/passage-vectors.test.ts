import { describe, expect, it } from "vitest";
import { withDatabase } from "../testing.ts";
import { findPassageVectors, hashPassage, importChunkVectors, sweepPassageVectors } from "./passage-vectors.ts";

const MODEL = "test";
const vector = new Float32Array([0.5, -0.25, 1]);

describe("vectors by passage", () => {
  it("come back under their model and passage alone, and are kept once", () =>
    withDatabase(async (db) => {
      const [one, other] = [hashPassage("one passage"), hashPassage("another")];
      await importChunkVectors(db, { model: MODEL, entries: [{ hash: one, vector }] });
      await importChunkVectors(db, { model: MODEL, entries: [{ hash: one, vector: new Float32Array([9]) }] });
      const id = Buffer.from(one).toString("hex");
      expect([...(await findPassageVectors(db, MODEL, [one, other]))]).toEqual([[id, vector]]);
      expect((await findPassageVectors(db, "another model", [one])).size).toBe(0);
    }));

  it("are refused when they are none", () =>
    withDatabase(async (db) => {
      const hash = hashPassage("one passage");
      for (const bad of [new Float32Array(), new Float32Array([Number.NaN])]) {
        await expect(importChunkVectors(db, { model: MODEL, entries: [{ hash, vector: bad }] })).rejects.toThrow(
          "SHA-256",
        );
      }
    }));

  it("go when no document has had their passage for long, and stay while one has", () =>
    withDatabase(async (db) => {
      const [used, unused, fresh] = ["used", "unused", "fresh"].map(hashPassage);
      if (used === undefined || unused === undefined || fresh === undefined) throw new Error("three were hashed");
      await importChunkVectors(db, { model: MODEL, entries: [used, unused, fresh].map((hash) => ({ hash, vector })) });
      await db.query("UPDATE passage_vectors SET used_on = current_date - 100 WHERE hash <> $1", [Buffer.from(fresh)]);
      await db.query(
        `INSERT INTO document_passages (team_id, url, version, model, hashes) VALUES ('one', 'https://e.org/', 1, $1, $2)`,
        [MODEL, [Buffer.from(used)]],
      );
      expect(await sweepPassageVectors(db)).toBe(1);
      const left = await findPassageVectors(db, MODEL, [used, unused, fresh]);
      expect([...left.keys()].sort()).toEqual([used, fresh].map((hash) => Buffer.from(hash).toString("hex")).sort());
    }));
});
