import { expect, it } from "vitest";
import { closeAll } from "./close-all.ts";

it("closes what is left after one that failed, and tells the first failure", async () => {
  const closed: string[] = [];
  const closers = [
    () => void closed.push("door"),
    () => {
      throw new Error("EROFS: read-only file system, unlink 'server.json'");
    },
    () => Promise.reject(new Error("later")),
    () => Promise.resolve(void closed.push("database")),
  ];
  await expect(closeAll(closers)).rejects.toThrow("EROFS");
  expect(closed).toEqual(["door", "database"]);
});
