import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { findServer } from "./server-file.ts";
import { announceServer, serveApi, temporaryDirectory } from "./testing.ts";

const never = new AbortController().signal;

it("finds none where no server has written its file", async () => {
  expect(await findServer(path.join(temporaryDirectory(), "none"), never)).toEqual({ kind: "absent" });
});

it.each(["", "{}", "not json", '{"url":"file:///etc/passwd","pid":1,"key":"k","version":"1","startedAt":"x"}'])(
  "does not trust a file that says %j",
  async (text) => {
    const directory = temporaryDirectory();
    writeFileSync(path.join(directory, "server.json"), text);
    expect((await findServer(directory, never)).kind).toBe("damaged");
  },
);

it("sees that the process has ended", async () => {
  const directory = temporaryDirectory();
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  announceServer(directory, { pid: child.pid });
  expect((await findServer(directory, never)).kind).toBe("gone");
});

it("sees that the process lives but does not answer", async () => {
  const directory = temporaryDirectory();
  announceServer(directory, { pid: process.pid });
  expect((await findServer(directory, never)).kind).toBe("silent");
});

it("finds one that lives and answers", async () => {
  const directory = temporaryDirectory();
  const { url } = await serveApi(() => ({}));
  announceServer(directory, { url });
  expect(await findServer(directory, never)).toMatchObject({ kind: "running", file: { url, key: "local-key" } });
});

it("says what to do when the file cannot be read", async () => {
  const directory = temporaryDirectory();
  mkdirSync(path.join(directory, "server.json")); // reading a directory fails for every user, root too
  await expect(findServer(directory, never)).rejects.toThrow("pass --url and --key instead");
});
