import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type * as current from "@modelcontextprotocol/client";
import type * as currentStdio from "@modelcontextprotocol/client/stdio";
import type * as older from "@modelcontextprotocol/sdk/client/index.js";
import type * as olderHttp from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { build } from "esbuild";

/** The official clients: the current one, which speaks both revisions, and the one most programs still have. */
export interface McpClients {
  readonly current: typeof current;
  readonly currentStdio: typeof currentStdio;
  readonly older: typeof older;
  readonly olderHttp: typeof olderHttp;
}

/**
 * Loads the clients from a bundle. Our tests run with the condition `source`, under which a package the clients use
 * would be loaded as the TypeScript it was published with, which Node 20 cannot run.
 */
export async function loadMcpClients(): Promise<McpClients> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-mcp-clients-"));
  const outfile = path.join(directory, "clients.mjs");
  try {
    await build({
      stdin: {
        contents: `
          export * as current from "@modelcontextprotocol/client";
          export * as currentStdio from "@modelcontextprotocol/client/stdio";
          export * as older from "@modelcontextprotocol/sdk/client/index.js";
          export * as olderHttp from "@modelcontextprotocol/sdk/client/streamableHttp.js";`,
        resolveDir: import.meta.dirname,
      },
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      logLevel: "error",
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
      outfile,
    });
    return (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as McpClients; // as the entry above exports them
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
