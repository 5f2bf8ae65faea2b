import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { request } from "node:http";
import { verifies } from "@quarry/tests";
import { chromium, type Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../../tools/server-process.ts";

const browserProgram = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((file) =>
  existsSync(file),
);

/** Runs `work` with a page of a real browser on a fresh server; what the page complained about comes along. */
function withConsole(work: (page: Page, server: ServerProcess, complaints: readonly string[]) => Promise<void>) {
  return withDataDirectory(async (directory) => {
    const server = await startServerProcess(directory);
    const browser = await chromium.launch({
      executablePath: browserProgram ?? "",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-background-networking",
        "--disable-component-update",
      ],
    });
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("request", (request) => {
        if (!request.url().startsWith(server.url)) complaints.push(`left the server: ${request.url()}`);
      });
      await work(page, server, complaints);
    } finally {
      await browser.close();
      await server.stop();
    }
  });
}

/** The status that a request for another host name gets, as a rebound DNS name would send it. */
function statusForHost(server: ServerProcess, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${server.url}/healthz`, { headers: { host }, agent: false }, (reply) => {
      reply.resume();
      resolve(reply.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

describe("the console", () => {
  if (browserProgram === undefined) {
    it.skip("needs Chromium: install it and run again");
    return;
  }

  verifies(
    ["console:shell:sign-in-link", "security:browser:session-cookie", "security:browser:sign-out"],
    "signs in by the printed link, once, and shows how the server does",
    () =>
      withConsole(async (page, server, complaints) => {
        const link = /http\S+sign-in\S+/.exec(server.stdout())?.[0] ?? "";
        await page.goto(link);
        await page.getByText("database").waitFor();
        await page.getByText("First key").waitFor();
        expect(new URL(page.url()).pathname).toBe("/console/");
        const [cookie] = await page.context().cookies();
        expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
        await mkdir("test-results", { recursive: true });
        await page.screenshot({ path: "test-results/console-light.png" });
        await page.emulateMedia({ colorScheme: "dark" });
        await page.setViewportSize({ width: 360, height: 740 });
        await page.screenshot({ path: "test-results/console-dark-360.png", fullPage: true });
        expect(complaints).toEqual([]);

        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByLabel("API key").waitFor();
        expect((await page.goto(link))?.status()).toBe(401);
      }),
    120_000,
  );

  verifies(
    ["console:shell:sign-in-key"],
    "signs in by a pasted key, refuses a wrong one in words, and cannot be reached from another site",
    () =>
      withConsole(async (page, server) => {
        await page.goto(`${server.url}/`);
        await page.getByLabel("API key").fill("wrong");
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.getByText("unknown, expired or revoked").waitFor();
        await page.getByLabel("API key").fill(server.key);
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.getByText("database").waitFor();
        expect(await statusForHost(server, "evil.example")).toBe(403);
        expect(await statusForHost(server, new URL(server.url).host)).toBe(200);
      }),
    120_000,
  );
});
