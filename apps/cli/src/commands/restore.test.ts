import { writeFileSync } from "node:fs";
import path from "node:path";
import { lockDataDirectory } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { expect, it, onTestFinished } from "vitest";
import { cliWorld, temporaryDirectory } from "../testing.ts";

function backupFile(): string {
  const file = path.join(temporaryDirectory(), "quarry.backup");
  writeFileSync(file, "bytes");
  return file;
}

it("hands the file to the server program and ends with its code", async () => {
  const world = cliWorld();
  expect(await world.run("restore", backupFile(), "--json")).toMatchObject({
    code: 0,
    stdout: `${JSON.stringify({ restored: true, dataDir: world.dataDirectory }, null, 2)}\n`,
  });
  const refused = await cliWorld({ env: { FAKE_SERVER: "refuse" } }).run("restore", backupFile());
  expect(refused).toMatchObject({ code: 1, stdout: "" });
});

verifies("durability:backup:restore-refuses-running", "takes no directory that a server owns", async () => {
  const world = cliWorld();
  const lock = await lockDataDirectory(world.dataDirectory);
  onTestFinished(lock.release);
  expect(await world.run("restore", backupFile())).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("stop it with quarry stop") as string,
  });
});

it("takes no file that is not there", async () => {
  expect((await cliWorld().run("restore", "/nowhere/quarry.backup")).code).toBe(4);
  expect((await cliWorld().run("restore", temporaryDirectory())).code).toBe(2);
});
