import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { AppError } from "@quarry/base";
import { z } from "zod";
import { bytesReply, redirectReply, type Reply } from "../reply.ts";
import { PAGE_CONTENT_SECURITY_POLICY } from "../response-headers.ts";
import { defineRoute, type Route } from "../route.ts";
import { fileReply } from "../send-file.ts";
import { toStaticFile, type StaticFile } from "../static-files.ts";
import { describeApi, prefersMarkdown, showMarkdown, type Guides } from "./guides.ts";

/** What the pages about the API show. */
export interface DocsDeps {
  /** The OpenAPI document of all routes, these included; made when first asked for. */
  readonly openApiDocument: () => unknown;
  /** The guides that come with the program. */
  readonly guides: () => Promise<Guides>;
}

/** Files of Swagger UI that the page uses; nothing else of that package is served. */
const SWAGGER_FILES = ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"] as const;

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Quarry API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png" />
  </head>
  <body>
    <div id="page"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const START_SCRIPT = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#page",
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

/**
 * The OpenAPI document, a page to read and try it that loads nothing from elsewhere, and the guides. Pages are Markdown for
 * whoever asks for text/markdown or names them with `.md`.
 */
export function docsRoutes(deps: DocsDeps): readonly Route[] {
  const files = new Map<string, StaticFile>();
  let document: string | undefined;
  const shared = { method: "GET", tag: "Documentation", access: "open", hidden: true, head: true } as const;
  return [
    defineRoute({
      ...shared,
      name: "getOpenApi",
      path: "/openapi.json",
      summary: "Give the OpenAPI document",
      response: z.unknown(),
      handle: () => {
        document ??= JSON.stringify(deps.openApiDocument());
        return Promise.resolve(bytesReply(document, { mediaType: "application/json; charset=utf-8" }));
      },
    }),
    defineRoute({
      ...shared,
      name: "openDocs",
      path: "/docs",
      summary: "Go to the page about the API",
      response: z.unknown(),
      handle: () => Promise.resolve(redirectReply("/docs/")),
    }),
    defineRoute({
      ...shared,
      name: "getDocsFile",
      path: "/docs/*",
      summary: "Give the page about the API, or a file of it",
      params: z.object({ "*": z.string() }),
      response: z.unknown(),
      handle: async ({ params }, { headers }) => {
        const name = params["*"] === "" ? "index.html" : params["*"];
        const guides = await deps.guides();
        const isMarkdown = name.endsWith(".md") || prefersMarkdown(headers.accept);
        const guide = guides.pages.find((one) => one.name === name.replace(/\.md$/, ""));
        if (guide !== undefined) return isMarkdown ? markdownReply(guide.markdown) : pageReply(showMarkdown(guide));
        if (name === "index.html" && isMarkdown) return markdownReply(describeApi(deps.openApiDocument(), guides));
        const file = guides.pictures.get(name) ?? files.get(name) ?? (await readDocsFile(name));
        files.set(name, file);
        return fileReply(file, headers);
      },
    }),
  ];
}

/** Caches must know that the same address has two forms. */
const TWO_FORMS = { vary: "Origin, Accept", "cache-control": "no-cache" } as const;

function markdownReply(text: string): Reply {
  return bytesReply(text, { mediaType: "text/markdown; charset=utf-8", headers: TWO_FORMS });
}

function pageReply(html: string): Reply {
  const headers = { ...TWO_FORMS, "content-security-policy": PAGE_CONTENT_SECURITY_POLICY };
  return bytesReply(html, { mediaType: "text/html; charset=utf-8", headers });
}

async function readDocsFile(name: string): Promise<StaticFile> {
  if (name === "index.html") return toStaticFile(name, Buffer.from(PAGE));
  if (name === "start.js") return toStaticFile(name, Buffer.from(START_SCRIPT));
  const known = SWAGGER_FILES.find((file) => file === name);
  if (known === undefined) throw new AppError("not_found", "there is no such page below /docs; go to /docs/");
  const packageFile = createRequire(import.meta.url).resolve("swagger-ui-dist/package.json");
  return toStaticFile(known, await readFile(path.join(path.dirname(packageFile), known)));
}
