import { Writable } from "node:stream";
import { verifies } from "@quarry/tests";
import { describe, expect, it, vi } from "vitest";
import { createLogger } from "./logger.ts";

function logged(write: (logger: ReturnType<typeof createLogger>) => void): string {
  let text = "";
  const destination = { write: (line: string) => void (text += line) };
  write(createLogger({ level: "info", isTerminal: false, destination }));
  return text;
}

describe("createLogger", () => {
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
