import { describe, expect, it } from "vitest";
import { createLogger } from "./logger.ts";

function logged(isTerminal: boolean, write: (logger: ReturnType<typeof createLogger>) => void): string {
  let text = "";
  const destination = { write: (line: string) => void (text += line) };
  write(createLogger({ level: "info", isTerminal, destination }));
  return text;
}

describe("createLogger", () => {
  it("hides secrets at every depth it is given them", () => {
    const text = logged(false, (logger) => {
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
    const text = logged(false, (logger) => logger.warn({ requestId: "abc" }, "slow"));
    expect(JSON.parse(text)).toEqual({
      level: "warn",
      time: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
      requestId: "abc",
      msg: "slow",
    });
  });

  it("leaves out what is below its level", () => {
    expect(logged(false, (logger) => logger.debug("unseen"))).toBe("");
  });
});
