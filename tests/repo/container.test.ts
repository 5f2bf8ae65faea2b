import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { AppError } from "@quarry/base";
import { loadConfig } from "@quarry/config";
import { describe, expect, it } from "vitest";
import { verifies } from "../requirements/verifies.ts";
import { checkCompose, checkDockerfile, type ContainerWorld } from "./check-container.ts";
import { parseDockerfile } from "./dockerfile.ts";
import { repositoryFiles, repositoryRoot } from "./repository-files.ts";

const read = (file: string): string => readFileSync(path.join(repositoryRoot, file), "utf8");

function faultsOfVariables(env: Readonly<Record<string, string>>): readonly string[] {
  const readFile = (): never => {
    throw Object.assign(new Error("no such file"), { code: "ENOENT" });
  };
  try {
    loadConfig({ env, cwd: repositoryRoot, readFile });
    return [];
  } catch (error) {
    return AppError.from(error).details["problems"] as readonly string[];
  }
}

/** The files of the build context: what git would commit, less what .dockerignore leaves out. */
function contextFiles(): readonly string[] {
  const ignored = existsSync(path.join(repositoryRoot, ".dockerignore")) ? read(".dockerignore").split("\n") : [];
  const isIgnored = (file: string): boolean =>
    ignored.some(
      (line) => line !== "" && !line.startsWith("#") && `${file}/`.startsWith(`${line.replace(/^\/|\/$/g, "")}/`),
    );
  return repositoryFiles().filter((file) => !isIgnored(file));
}

function realWorld(): ContainerWorld {
  const files = contextFiles();
  const { engines } = JSON.parse(read("package.json")) as { readonly engines: { readonly node: string } };
  const oldest = Number(/\d+/.exec(engines.node)?.[0]);
  const programs = /PROGRAMS = \{(.*?)^\};/ms.exec(read("tools/build.mjs"))?.[1] ?? "";
  return {
    inContext: (source) => {
      const place = path.posix.normalize(source).replace(/\/$/, "");
      return files.some((file) => file === place || file.startsWith(`${place}/`));
    },
    built: new Set([...programs.matchAll(/^ {2}"?([\w-]+)"?:/gm)].map(([, name = ""]) => `dist/${name}.js`)),
    defaultPort: loadConfig({ env: {}, cwd: repositoryRoot, readFile: () => "{}" }).port,
    faultsOfVariables,
    runsOnNode: (major) => major >= oldest,
    openPaths: new Set(["/healthz", "/readyz"]),
  };
}

describe("the container files", () => {
  verifies(
    [
      "docs:container:paths-exist",
      "docs:container:ports-match",
      "docs:container:variables-known",
      "docs:container:services-resolve",
    ],
    "name paths, ports, variables and services that exist",
    () => {
      const world = realWorld();
      expect(world.defaultPort).toBe(7700);
      expect(world.built).toContain("dist/server.js");
      expect(checkDockerfile(read("Dockerfile"), world)).toEqual([]);
      expect(checkCompose(read("compose.yaml"), read("Dockerfile"), world)).toEqual([]);
    },
  );

  it("copy what installing and building read", () => {
    const copied = parseDockerfile(read("Dockerfile"))
      .filter(({ name, flags }) => name === "COPY" && flags["from"] === undefined)
      .flatMap(({ words }) => words.slice(0, -1));
    const isCopied = (file: string): boolean => copied.some((one) => file === one || file.startsWith(`${one}/`));
    const bases = contextFiles()
      .filter((file) => path.basename(file) === "tsconfig.json" && isCopied(file))
      .flatMap((file) => {
        const { extends: base } = JSON.parse(read(file)) as { readonly extends?: string };
        return base === undefined ? [] : [path.posix.join(path.posix.dirname(file), base)];
      });
    expect(bases).toEqual(["tsconfig.json"]); // the console's
    const needed = ["package.json", "package-lock.json", ".npmrc", "packages", "apps", "tools", ...bases];
    expect(needed.filter((file) => !isCopied(file))).toEqual([]);
  });
});

const world: ContainerWorld = {
  inContext: (file) => ["package.json", "packages", "Dockerfile"].includes(file),
  built: new Set(["dist/server.js"]),
  defaultPort: 7700,
  faultsOfVariables,
  runsOnNode: (major) => major >= 20,
  openPaths: new Set(["/readyz"]),
};

const dockerfile = `# comment
FROM node:22-slim AS build
COPY package.json ./
COPY packages \\
  ./packages
FROM node:22-slim
ENV QUARRY_PORT=7700 QUARRY_DATA_DIR=/data
COPY --from=build --chown=node:node /app /app
VOLUME /data
EXPOSE 7700
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:7700/readyz')"]
CMD ["node", "dist/server.js"]
`;

const compose = `services:
  quarry:
    build: .
    ports: ["127.0.0.1:7700:7700"]
    environment:
      QUARRY_DATABASE_URL: postgres://user:pass@database:5432/name
    volumes: ["data:/data"]
    depends_on: { database: { condition: service_healthy } }
  database:
    image: postgres:18
    environment: { POSTGRES_USER: user, POSTGRES_PASSWORD: pass, POSTGRES_DB: name }
    healthcheck: { test: [CMD, pg_isready] }
volumes: { data: }
`;

describe("checkDockerfile", () => {
  it("passes a sound file", () => {
    expect(checkDockerfile(dockerfile, world)).toEqual([]);
  });

  it.each([
    ["a missing source", "package.json ./", "package.jsn ./", "Dockerfile: package.jsn is not there to copy"],
    ["a missing stage", "--from=build", "--from=builder", "Dockerfile: there is no stage builder before it"],
    ["an old Node", "node:22-slim AS", "node:18-slim AS", "Dockerfile: node:18-slim is too old for the product"],
    ["another base", "node:22-slim AS", "debian:12 AS", "Dockerfile: debian:12 is no image of Node"],
    ["another port", "EXPOSE 7700", "EXPOSE 7701", "Dockerfile: exposes 7701, listens on 7700"],
    ["another health port", "127.0.0.1:7700", "127.0.0.1:80", "Dockerfile: checks the health of port 80"],
    [
      "a closed health path",
      "/readyz",
      "/search",
      "Dockerfile: checks its health at /search, which does not answer without a key",
    ],
    ["an unknown variable", "QUARRY_PORT=", "QUARRY_PROT=", "QUARRY_PROT"],
    [
      "a program not built",
      "dist/server.js",
      "dist/sever.js",
      "Dockerfile: starts dist/sever.js, which the build does not make",
    ],
    ["an unmounted data directory", "VOLUME /data", "VOLUME /dta", "Dockerfile: the data directory /data is no volume"],
  ])("finds %s", (_, from, to, fault) => {
    expect(checkDockerfile(dockerfile.replace(from, to), world)).toEqual([expect.stringContaining(fault)]);
  });
});

describe("checkCompose", () => {
  it("passes a sound file", () => {
    expect(checkCompose(compose, dockerfile, world)).toEqual([]);
  });

  it.each([
    ["a missing Dockerfile", "build: .", "build: ./server", "compose.yaml: quarry: no Dockerfile in ./server"],
    ["another port", ":7700:7700", ":7700:7000", "compose.yaml: quarry: maps to port 7000, the server listens on 7700"],
    ["an unknown variable", "QUARRY_DATABASE_URL", "QUARRY_DATABSE_URL", "QUARRY_DATABSE_URL"],
    [
      "an unknown host",
      "@database",
      "@databse",
      "compose.yaml: quarry: QUARRY_DATABASE_URL names databse, which is no service",
    ],
    ["an unknown dependency", "{ database: {", "{ databse: {", "compose.yaml: quarry: there is no service databse"],
    [
      "a wrong password",
      "user:pass",
      "user:word",
      "compose.yaml: quarry: QUARRY_DATABASE_URL does not match its database",
    ],
    ["an undeclared volume", "data:/data", "dta:/data", "compose.yaml: quarry: there is no volume dta"],
    [
      "a data directory not mounted",
      "data:/data",
      "data:/dta",
      "compose.yaml: quarry: the data directory /data is not mounted",
    ],
    ["a missing health check", "healthcheck:", "labels:", "compose.yaml: quarry: database has no health check"],
    ["a service of nothing", "image: postgres:18", "labels: {}", "compose.yaml: database: has neither build nor image"],
  ])("finds %s", (_, from, to, fault) => {
    expect(checkCompose(compose.replace(from, to), dockerfile, world)).toContainEqual(expect.stringContaining(fault));
  });
});
