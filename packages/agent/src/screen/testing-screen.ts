import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, it } from "vitest";
import { findDesktopPrograms } from "./find-programs.ts";
import { Screens, type ScreensOptions } from "./screens.ts";

/** Where the programs of a screen usually lie. */
export const SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin";
/** The Chromium of this machine, where there is one. */
export const browserPath = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((file) => existsSync(file));
export const programs = findDesktopPrograms(SEARCH_PATH);

/** Tests that need programs; without one of them a single skipped test says so. */
export function describeWith(needs: readonly (string | undefined)[], name: string, run: () => void): void {
  if (needs.includes(undefined)) {
    it.skip(`${name}: programs are missing (apt-get install chromium xvfb xdotool ffmpeg)`);
    return;
  }
  describe(name, run);
}

/** Runs `work` with screens that are closed at its end. */
export async function withScreens<T>(
  options: Partial<ScreensOptions>,
  work: (screens: Screens, directory: string) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-screen-"));
  const screens = new Screens({
    mode: "off",
    browserPath: undefined,
    sandbox: process.getuid?.() !== 0,
    programs,
    environment: { PATH: SEARCH_PATH, HOME: directory },
    directory,
    ...options,
  });
  try {
    return await work(screens, directory);
  } finally {
    await screens.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A proxy that answers every page itself with `html`, and keeps what pages send to `/log`. */
export async function openTestProxy(html: string): Promise<{
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly logged: readonly unknown[];
  readonly close: () => Promise<void>;
}> {
  const logged: unknown[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.url?.endsWith("/log") !== true) {
        response.writeHead(200, { "content-type": "text/html" }).end(html);
        return;
      }
      logged.push(JSON.parse(Buffer.concat(chunks).toString("utf8")));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server
  return {
    url: `http://127.0.0.1:${port}`,
    username: "test",
    password: "test",
    logged,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
