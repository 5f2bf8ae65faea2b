import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";

/** The rooms of the server and the server itself; the CLI and the console are clients of it and dial nobody else. */
const root = fileURLToPath(new URL("../../../", import.meta.url));
const folders = [
  ...readdirSync(path.join(root, "packages"))
    .filter((name) => name !== "net")
    .map((name) => path.join("packages", name)),
  path.join("apps", "server"),
];

/** Names that open no connection to anyone. `Socket` is there for a descriptor that a child process inherits. */
const HARMLESS = new Set(["isIP", "isIPv4", "isIPv6", "STATUS_CODES", "createServer", "Socket"]);
const WIRE_IMPORT = /^import (?!type\b)([^;]*?) from "(?:node:)?(?:http|https|http2|net|tls|dgram|undici|ws)";/gms;
const CLIENT_PACKAGES = ["undici", "axios", "got", "ky", "needle", "node-fetch", "request", "superagent", "ws"];

verifies(
  ["security:dialer:one-way-out", "promises:t14:ssrf"],
  "no room but this one can open a connection: the vectors that the dialer refuses have no other way",
  () => {
    const files = folders.flatMap((folder) =>
      readdirSync(path.join(root, folder, "src"), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts") && !/\.test\.ts$|(?:^|[/\\])testing/.test(name))
        .map((name) => path.join(folder, "src", name)),
    );
    expect(files.length).toBeGreaterThan(500);
    const wrong = files.flatMap((file) => waysOut(readFileSync(path.join(root, file), "utf8"), file));
    expect(wrong).toEqual([]);
    const dependent = folders.filter((folder) => {
      const manifest = JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8")) as {
        readonly dependencies?: Readonly<Record<string, string>>;
      };
      return CLIENT_PACKAGES.some((name) => manifest.dependencies?.[name] !== undefined);
    });
    expect(dependent).toEqual([]);
    expect(waysOut('import { connect, isIP } from "node:net";\nfetch("https://e.example")', "x")).toHaveLength(2);
  },
);

/** Imports that can dial, and calls of the global fetch; one that a function was given under that name is the dialer's. */
function waysOut(source: string, file: string): readonly string[] {
  const found = [...source.matchAll(WIRE_IMPORT)].flatMap(([, names = ""]) =>
    names
      .replace(/[{}]/g, "")
      .split(",")
      .map((name) => name.trim().split(" as ")[0] ?? "")
      .filter((name) => name !== "" && !name.startsWith("type ") && !HARMLESS.has(name)),
  );
  const callsFetch = /(?<![.#\w])fetch\(/.test(source) && !/[{,(]\s*fetch\s*[,}:]/.test(source);
  const reaches = /globalThis\.fetch|new WebSocket\(|new EventSource\(/.test(source);
  return [...found, ...(callsFetch || reaches ? ["fetch"] : [])].map((name) => `${file}: ${name}`);
}
