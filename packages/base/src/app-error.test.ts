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

  it.each([undefined, null, "text", 7, {}])("takes %j without throwing", (thrown) => {
    expect(AppError.from(thrown)).toMatchObject({ code: "internal", retryable: false });
  });
});
