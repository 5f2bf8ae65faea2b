import { randomUUID } from "node:crypto";
import { findDocument } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { expect, it } from "vitest";
import { snapshotKey } from "../snapshot-store.ts";
import { crawlToEnd, fakeCrawlDeps, pageWith } from "../testing.ts";
import { exportWarc } from "./export-index.ts";

it("exports a page whose stored bytes are damaged as its text, and the others as they were read", () =>
  withDatabase(async (database) => {
    const urls = ["https://e.example/1", "https://e.example/2"] as const;
    const words: Readonly<Record<string, string>> = {
      [urls[0]]: "Otters eat fish.",
      [urls[1]]: "Herons wade in the reeds at dawn.",
    };
    const deps = fakeCrawlDeps(database, (url) => {
      const text = words[url];
      return text === undefined ? undefined : pageWith(text);
    });
    await crawlToEnd(deps, { urls });
    const snapshotId = (await findDocument(database, ["one"], urls[0]))?.snapshotId ?? "";
    deps.blobs.set(snapshotKey(snapshotId), Buffer.from("damaged"));

    const writing = { gzip: false, software: "test", writtenAt: new Date(), makeUuid: randomUUID };
    const parts: Uint8Array[] = [];
    for await (const part of exportWarc(deps, "one", { writing, signal: new AbortController().signal })) {
      parts.push(part);
    }
    const warc = Buffer.concat(parts).toString("utf8");
    expect(warc.match(/<title>.*?<\/title>/g)).toEqual([`<title>Herons wade in the reeds at dawn.</title>`]);
    expect(warc).toContain("Otters eat fish.");
  }));
