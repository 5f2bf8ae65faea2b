import fs, { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Writable } from "node:stream";
import { verifies } from "@quarry/tests";
import { describe, expect, it, vi } from "vitest";
import { createLogger, openLogDestination } from "./logger.ts";

function logged(write: (logger: ReturnType<typeof createLogger>) => void): string {
  let text = "";
  const destination = { write: (line: string) => void (text += line) };
  write(createLogger({ level: "info", isTerminal: false, destination }));
  return text;
}

describe("createLogger", () => {
  it("throws nothing while the disk of its file is full, and writes what waited once there is room", () => {
    const directory = mkdtempSync(path.join(tmpdir(), "quarry-log-"));
    const descriptor = openSync(path.join(directory, "log"), "w");
    const write = vi.spyOn(fs, "writeSync");
    try {
      const logger = createLogger({ level: "info", isTerminal: false, destination: openLogDestination(descriptor) });
      write.mockImplementation(() => {
        throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      });
      logger.error("first");
      logger.error("second");
      write.mockRestore();
      logger.error("third");
      const lines = readFileSync(path.join(directory, "log"), "utf8").trimEnd().split("\n");
      expect(lines.map((line) => (JSON.parse(line) as { readonly msg: string }).msg)).toEqual([
        "first",
        "second",
        "third",
      ]);
    } finally {
      write.mockRestore();
      closeSync(descriptor);
      rmSync(directory, { recursive: true });
    }
  });

  verifies(["server:logs:redaction"], "hides secrets at every depth it is given them", () => {
    const text = logged((logger) => {
      logger.info(
        { apiKey: "qk_1", headers: { authorization: "Bearer qk_2", cookie: "qk_3", "x-api-key": "qk_4" } },
        "request",
      );
      logger.info({ request: { body: { token: "qk_5" } } }, "deep");
    });
    expect(text).not.toContain("qk_");
    expect(text.match(/\[hidden\]/g)).toHaveLength(5);
  });

  it("writes one JSON object per line with time and level", () => {
    const text = logged((logger) => logger.warn({ requestId: "abc" }, "slow"));
    expect(JSON.parse(text)).toEqual({
      level: "warn",
      time: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
      requestId: "abc",
      msg: "slow",
    });
  });

  verifies("server:logs:level", "leaves out what is below its level", () => {
    expect(logged((logger) => logger.debug("unseen"))).toBe("");
  });

  verifies("server:logs:pretty-on-terminal", "writes for people on a terminal", async () => {
    let text = "";
    const destination = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        text += chunk.toString();
        done();
      },
    });
    createLogger({ level: "info", isTerminal: true, destination }).warn({ requestId: "abc" }, "slow");
    await vi.waitUntil(() => text !== "");
    expect(text).toContain("slow");
    expect(() => JSON.parse(text) as unknown).toThrow();
  });
});
