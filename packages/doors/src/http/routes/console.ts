import { AppError } from "@quarry/base";
import { z } from "zod";
import { redirectReply } from "../reply.ts";
import { defineRoute, type Route } from "../route.ts";
import { fileReply } from "../send-file.ts";
import { readStaticFiles, toStaticFile, type StaticFile } from "../static-files.ts";

/** Where the built console lies. */
export interface ConsoleDeps {
  readonly directory: string | undefined;
}

/** The console's files under /console/, and the way there from /. */
export function consoleRoutes({ directory }: ConsoleDeps): readonly Route[] {
  let reading: Promise<ReadonlyMap<string, StaticFile>> | undefined;
  const readFiles = (): Promise<ReadonlyMap<string, StaticFile>> => {
    reading ??= directory === undefined ? Promise.resolve(new Map()) : readStaticFiles(directory);
    return reading;
  };
  const shared = {
    method: "GET",
    tag: "Console",
    access: "open",
    hidden: true,
    head: true,
    response: z.unknown(),
  } as const;
  return [
    defineRoute({
      ...shared,
      name: "openRoot",
      path: "/",
      summary: "Go to the console",
      handle: () => Promise.resolve(redirectReply("/console/")),
    }),
    defineRoute({
      ...shared,
      name: "openConsole",
      path: "/console",
      summary: "Go to the console",
      handle: () => Promise.resolve(redirectReply("/console/")),
    }),
    defineRoute({
      ...shared,
      name: "getConsoleFile",
      path: "/console/*",
      summary: "Give a file of the console",
      params: z.object({ "*": z.string() }),
      handle: async ({ params }, { headers }) => {
        const name = params["*"];
        const files = await readFiles();
        const file = files.get(name);
        if (file !== undefined) return fileReply(file, headers);
        // Addresses without a file extension are pages that the console's own router knows.
        if (/\.[a-z0-9]+$/i.test(name))
          throw new AppError("not_found", `the console has no file ${name.slice(0, 120)}`);
        return fileReply(files.get("index.html") ?? NOT_BUILT, headers);
      },
    }),
  ];
}

const NOT_BUILT = toStaticFile(
  "index.html",
  Buffer.from(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Quarry</title>` +
      `<h1>Quarry is running</h1><p>The console is not built here. The API is described under <a href="/docs/">/docs</a>.</p></html>`,
  ),
);
