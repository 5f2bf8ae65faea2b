import type { Operation } from "../../api/openapi.ts";
import { isRecord } from "../../api/send.ts";
import { buildRequest, type RequestInput } from "./request.ts";

/** What a written-down request needs to know. */
export interface Written {
  readonly operation: Operation;
  readonly input: RequestInput;
  /** Where the server is reached, without a slash at the end. */
  readonly origin: string;
}

/** The request as a curl command for a POSIX shell; the key comes from the environment. */
export function toCurl({ operation, input, origin }: Written): string {
  const { method, path, headers, body } = buildRequest(operation, input);
  const isStream = operation.replyMediaType === "text/event-stream";
  const lines = [
    `curl -s${isStream ? "N" : ""}${method === "GET" ? "" : ` -X ${method}`} ${quote(`${origin}${path}`)}`,
    `-H "x-api-key: $QUARRY_API_KEY"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quote(prettyJson(body))}`]),
  ];
  return lines.join(" \\\n  ");
}

/** The request as a program with the exa-js client. */
export function toExaJs({ operation, input, origin }: Written): string {
  return [
    'import Exa from "exa-js";',
    "",
    `const exa = new Exa(process.env.QUARRY_API_KEY, ${JSON.stringify(origin)});`,
    `const reply = await exa.${exaCall(operation, input)};`,
    "console.log(reply);",
  ].join("\n");
}

/** The request as a command of `quarry`; undefined where no command does the same. */
export function toCli({ operation, input }: Written): string | undefined {
  const { parameters } = input;
  const body = isRecord(input.body) ? input.body : {};
  const id = quote(parameters["id"] ?? "ID");
  const filters = {
    num: body["numResults"],
    include: body["includeDomains"],
    exclude: body["excludeDomains"],
    since: body["startPublishedDate"],
    until: body["endPublishedDate"],
    category: body["category"],
  };
  switch (operation.id) {
    case "search":
      return command(["search", textOf(body["query"], "QUERY")], { type: body["type"], ...filters });
    case "findSimilar":
      return command(["similar", textOf(body["url"], "URL")], {
        "other-sites": body["excludeSourceDomain"] === true,
        ...filters,
      });
    case "contents":
      return command(["contents", ...listOf(body["urls"] ?? body["ids"], "URL")], {});
    case "answer":
      return command(["answer", textOf(body["query"], "QUESTION")], {});
    case "optimizeIndex":
      return "npx quarry index optimize";
    case "verifyIndex":
      return "npx quarry index verify";
    case "rebuildIndex":
      return "npx quarry index rebuild";
    case "createCrawl":
      return command(["crawl", textOf(body["url"] ?? body["sitemap"], "URL")], {
        sitemap: body["sitemap"] !== undefined,
        "max-pages": body["maxPages"],
        "max-depth": body["maxDepth"],
        scope: body["scope"],
        include: body["include"],
        exclude: body["exclude"],
        delay: body["delayMs"],
        category: body["category"],
      });
    case "listCrawls":
      return "npx quarry crawl list --json";
    case "getCrawl":
      return `npx quarry crawl show ${id} --json`;
    case "listCrawlPages":
      return command(["crawl", "pages", parameters["id"] ?? "ID"], { status: parameters["status"] });
    case "pauseCrawl":
      return `npx quarry crawl pause ${id}`;
    case "resumeCrawl":
      return `npx quarry crawl resume ${id}`;
    case "cancelCrawl":
      return `npx quarry crawl cancel ${id}`;
    case "mapSite":
      return command(["map", textOf(body["url"], "URL")], { limit: body["limit"] });
    case "getIndexStats":
      return "npx quarry index stats --json";
    case "exportIndex":
      return command(["index", "export"], { format: parameters["format"], output: "index.out" });
    case "putDocuments":
      return "npx quarry index import documents.ndjson";
    case "putDocumentFile":
      return "npx quarry index import FILE";
    case "importIndex":
      return "npx quarry index import pages.warc.gz";
    case "listKeys":
      return "npx quarry keys list --json";
    case "getKey":
      return `npx quarry keys show ${id} --json`;
    case "createKey":
      return command(["keys", "create", textOf(body["name"], "NAME")], {
        scopes: Array.isArray(body["scopes"]) ? body["scopes"].join(",") : undefined,
        expires: body["expiresAt"],
        budget: body["budgetDollars"],
        "rate-limit": body["rateLimitPerSecond"],
      });
    case "rotateKey":
      return command(["keys", "rotate", parameters["id"] ?? "ID"], { grace: body["graceSeconds"] });
    case "revokeKey":
      return `npx quarry keys revoke ${id}`;
    case "getUsage":
      return command(["usage"], { by: parameters["groupBy"], from: parameters["from"], to: parameters["to"] });
    case "getHealth":
      return "npx quarry status --json";
    case "takeBackup":
      return "npx quarry backup quarry.backup";
    default:
      return undefined;
  }
}

function exaCall(operation: Operation, input: RequestInput): string {
  const body = isRecord(input.body) ? input.body : {};
  const call = (
    method: string,
    first: string,
    { [first]: value, ...rest }: Readonly<Record<string, unknown>>,
  ): string => `${method}(${toCode(value ?? "")}${Object.keys(rest).length === 0 ? "" : `, ${toCode(rest)}`})`;
  switch (`${operation.method} ${operation.path}`) {
    case "POST /search":
      return call("search", "query", body);
    case "POST /findSimilar":
      return call("findSimilar", "url", body);
    case "POST /contents":
      return call("getContents", "urls" in body ? "urls" : "ids", body);
    case "POST /answer":
      return call("answer", "query", body);
    default: {
      const { method, path, body: sent } = buildRequest(operation, input);
      return `request(${JSON.stringify(path)}, ${JSON.stringify(method)}${sent === undefined ? "" : `, ${toCode(input.body ?? sent)}`})`;
    }
  }
}

/** A value as JavaScript: JSON with unquoted names. */
function toCode(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^( *)"([A-Za-z_$][\w$]*)":/gm, "$1$2:");
}

function command(words: readonly string[], options: Readonly<Record<string, unknown>>): string {
  const flags = Object.entries(options).flatMap(([name, value]): readonly string[] => {
    if (value === undefined || value === null || value === "" || value === false) return [];
    if (value === true) return [`--${name}`];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.map((one) => `--${name} ${quote(String(one))}`);
  });
  return ["npx quarry", ...words.map(quote), ...flags].join(" ");
}

/** A word as a POSIX shell reads it back. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function textOf(value: unknown, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

function listOf(value: unknown, otherwise: string): readonly string[] {
  return Array.isArray(value) && value.length > 0 ? value.map(String) : [otherwise];
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text; // not JSON: as it is
  }
}
