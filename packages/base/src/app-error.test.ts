import { describe, expect, it } from "vitest";
import { AppError } from "./app-error.ts";

describe("AppError.from", () => {
  it("passes its own kind through unchanged", () => {
    const error = new AppError("not_found", "no such key", { details: { field: "id" } });
    expect(AppError.from(error)).toBe(error);
  });

  it("hides what was thrown behind a neutral sentence and keeps it as the cause", () => {
    const secret = new Error("password is hunter2");
    const error = AppError.from(secret);
    expect([error.code, error.message, error.cause]).toEqual([
      "internal",
      "something went wrong on the server",
      secret,
    ]);
  });

  it("reads an abort as a cancellation", () => {
    const stop = new AbortController();
    stop.abort();
    expect(AppError.from(stop.signal.reason).code).toBe("canceled");
  });

  it.each([
    ["ENOSPC", /disk is full/],
    ["EDQUOT", /disk is full/],
    ["EIO", /fails to read or write/],
    ["EROFS", /storage is read-only/],
    ["EMFILE", /too many files/],
    ["ENFILE", /too many files/],
  ])("reads %s as a fault of the disk that passes, and names no path", (code, sentence) => {
    const thrown = Object.assign(new Error(`${code}: write '/data/secret'`), { code });
    const error = AppError.from(thrown);
    expect(error).toMatchObject({ code: "unavailable", retryable: true, cause: thrown });
    expect(error.details).toEqual({ tag: "STORAGE_UNAVAILABLE" });
    expect(error.message).toMatch(sentence);
    expect(error.message).not.toContain("secret");
  });

  it.each([undefined, null, "text", 7, {}])("takes %j without throwing", (thrown) => {
    expect(AppError.from(thrown)).toMatchObject({ code: "internal", retryable: false });
  });
});
