import { AppError } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { loadConfig } from "./load-config.ts";
import type { Config } from "./load-config.ts";

type Files = Readonly<Record<string, string>>;

/** Loads from a world with this environment and these files, by absolute path, in the directory /site. */
function load(env: Readonly<Record<string, string | undefined>> = {}, files: Files = {}): Config {
  return loadConfig({
    env,
    cwd: "/site",
    readFile: (filePath) => {
      const text = files[filePath];
      if (text === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
      return text;
    },
  });
}

function problemsOf(env: Readonly<Record<string, string>>, files: Files = {}): unknown {
  try {
    load(env, files);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect(AppError.from(error).code).toBe("invalid_request");
    return AppError.from(error).details["problems"];
  }
  return [];
}

const fileOf = (settings: unknown): Files => ({ "/site/quarry.config.json": JSON.stringify(settings) });

verifies("config:rate-limits:presets", "takes each preset of rate limits, and none that is unknown", () => {
  for (const preset of ["unlimited", "exa-2026-02", "exa"]) {
    expect(load({ QUARRY_RATE_LIMITS: preset }).rateLimits).toBe(preset);
  }
  expect(problemsOf({ QUARRY_RATE_LIMITS: "exa-2025" })).toHaveLength(1);
});

describe("defaults", () => {
  it("needs nothing", () => {
    const { origins, ...values } = load({
      HOME: "/home/someone",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
    });
    expect(values).toEqual({
      host: "127.0.0.1",
      port: 7700,
      dataDir: "/site/.quarry",
      role: "all",
      auth: "key",
      corsOrigins: [],
      rateLimits: "unlimited",
      prices: "free",
      logLevel: "info",
      sample: true,
      allowPrivateHosts: [],
      retainVersions: 10,
      retainVersionDays: 90,
      retainUsageDays: 400,
      workspaceRoots: [],
      computerUse: "off",
      evalData: "/shared/data",
      mcpConformance: false,
    });
    expect(new Set(Object.values(origins))).toEqual(new Set(["default"]));
  });

  it("takes an empty text as unset, whatever its name", () => {
    expect(load({ QUARRY_PORT: "", QUARRY_API_KEY: "", QUARRY_LATER: "" }).port).toBe(7700);
    expect(load({}, fileOf({ publicUrl: "" })).publicUrl).toBeUndefined();
  });
});

describe("values", () => {
  verifies("config:variables:known-names", "knows every name of the design", () => {
    const env = {
      QUARRY_HOST: "127.0.0.1",
      QUARRY_PORT: "7700",
      QUARRY_DATA_DIR: "data",
      QUARRY_API_KEY: "k",
      QUARRY_SAMPLE: "0",
      QUARRY_DATABASE_URL: "postgres://h/q",
      QUARRY_INDEX_URL: "s3://b/i",
      QUARRY_BLOB_URL: "s3://b/b",
      QUARRY_LLM_URL: "http://h/v1",
      QUARRY_LLM_KEY: "k",
      QUARRY_LLM_MODEL: "m",
      QUARRY_EMBED_URL: "http://h/v1",
      QUARRY_EMBED_KEY: "k",
      QUARRY_EMBED_MODEL: "m",
      QUARRY_ALLOW_PRIVATE_HOSTS: "10.0.0.0/8",
      QUARRY_ROLE: "api",
      QUARRY_AUTH: "none",
      QUARRY_PUBLIC_URL: "https://h",
      QUARRY_RATE_LIMITS: "exa",
      QUARRY_PRICES: "exa",
      QUARRY_CORS_ORIGINS: "https://h",
      QUARRY_LOG_LEVEL: "warn",
      QUARRY_WORKSPACE_ROOTS: "code",
      QUARRY_HEADLESS: "approve",
      QUARRY_UPSTREAM_EXA_URL: "http://h",
      QUARRY_UPSTREAM_BRAVE_KEY: "k",
      QUARRY_UPSTREAM_SEARXNG_URL: "http://h",
      QUARRY_EVAL_DATA: "d",
      QUARRY_MCP_CONFORMANCE: "1",
    };
    const { origins } = load(env);
    expect(Object.values(origins).filter((origin) => origin !== "default")).toHaveLength(Object.keys(env).length);
  });

  it.each([
    ["QUARRY_HOST", "0.0.0.0", "host", "0.0.0.0"],
    ["QUARRY_HOST", "::", "host", "::"],
    ["QUARRY_HOST", "quarry.internal", "host", "quarry.internal"],
    ["QUARRY_PORT", "0", "port", 0],
    ["QUARRY_PORT", "65535", "port", 65_535],
    ["QUARRY_DATA_DIR", "data", "dataDir", "/site/data"],
    ["QUARRY_DATA_DIR", "/var/lib/quarry", "dataDir", "/var/lib/quarry"],
    ["QUARRY_API_KEY", "a-key", "apiKey", "a-key"],
    ["QUARRY_SAMPLE", "0", "sample", false],
    ["QUARRY_SAMPLE", "TRUE", "sample", true],
    ["QUARRY_MCP_CONFORMANCE", "1", "mcpConformance", true],
    ["QUARRY_DATABASE_URL", "postgres://u:p@db:5432/q", "databaseUrl", "postgres://u:p@db:5432/q"],
    ["QUARRY_DATABASE_URL", "postgresql:///q?host=/run/pg", "databaseUrl", "postgresql:///q?host=/run/pg"],
    ["QUARRY_INDEX_URL", "s3://bucket/index", "indexUrl", "s3://bucket/index"],
    ["QUARRY_INDEX_URL", "index", "indexUrl", "/site/index"],
    ["QUARRY_BLOB_URL", "/srv/blobs", "blobUrl", "/srv/blobs"],
    ["QUARRY_LLM_URL", "http://127.0.0.1:11434/v1/", "llmUrl", "http://127.0.0.1:11434/v1"],
    ["QUARRY_LLM_MODEL", "a/model:8b", "llmModel", "a/model:8b"],
    ["QUARRY_PUBLIC_URL", "https://quarry.example.com/", "publicUrl", "https://quarry.example.com"],
    ["QUARRY_PUBLIC_URL", "https://example.com/quarry", "publicUrl", "https://example.com/quarry"],
    ["QUARRY_RATE_LIMITS", "exa-2026-02", "rateLimits", "exa-2026-02"],
    ["QUARRY_PRICES", "exa", "prices", "exa"],
    ["QUARRY_LOG_LEVEL", "debug", "logLevel", "debug"],
    ["QUARRY_HEADLESS", "approve", "headless", "approve"],
    ["QUARRY_MCP_CONFIG", "mcp.json", "mcpConfig", "/site/mcp.json"],
    ["QUARRY_COMPUTER_USE", "desktop", "computerUse", "desktop"],
    ["QUARRY_IMAGE_URL", "http://127.0.0.1:1/v1/", "imageUrl", "http://127.0.0.1:1/v1"],
    ["QUARRY_WORKSPACE_ROOTS", "code, /srv/code", "workspaceRoots", ["/site/code", "/srv/code"]],
    [
      "QUARRY_CORS_ORIGINS",
      "https://a.example/,http://localhost:3000",
      "corsOrigins",
      ["https://a.example", "http://localhost:3000"],
    ],
    ["QUARRY_CORS_ORIGINS", "*", "corsOrigins", ["*"]],
    [
      "QUARRY_ALLOW_PRIVATE_HOSTS",
      "10.0.0.0/8, Intranet.example,::1,fd00::/8,",
      "allowPrivateHosts",
      ["10.0.0.0/8", "intranet.example", "::1", "fd00::/8"],
    ],
    ["QUARRY_UPSTREAM_EXA_URL", "https://api.example.com", "upstreamExaUrl", "https://api.example.com"],
    ["QUARRY_UPSTREAM_SEARXNG_KEY", "k", "upstreamSearxngKey", "k"],
    ["QUARRY_EVAL_DATA", "judged", "evalData", "/site/judged"],
  ] as const)("reads %s=%s", (name, text, key, expected) => {
    const config = load({ [name]: text });
    expect(config[key]).toEqual(expected);
    expect(config.origins[key]).toBe(`env ${name}`);
  });

  it.each([
    ["QUARRY_HOST", "http://127.0.0.1"],
    ["QUARRY_HOST", "127.0.0.1:7700"],
    ["QUARRY_HOST", "127.0.0.256"],
    ["QUARRY_PORT", "65536"],
    ["QUARRY_PORT", "-1"],
    ["QUARRY_PORT", "77.5"],
    ["QUARRY_PORT", "0x10"],
    ["QUARRY_SAMPLE", "maybe"],
    ["QUARRY_INDEX_URL", "ftp://host/index"],
    ["QUARRY_LLM_URL", "127.0.0.1:11434"],
    ["QUARRY_LLM_URL", "ftp://models"],
    ["QUARRY_PUBLIC_URL", "quarry.example.com"],
    ["QUARRY_PUBLIC_URL", "/quarry"],
    ["QUARRY_PUBLIC_URL", "https://quarry.example.com/?x=1"],
    ["QUARRY_RATE_LIMITS", "5"],
    ["QUARRY_CORS_ORIGINS", "app.example.com"],
    ["QUARRY_CORS_ORIGINS", "https://app.example.com/path"],
    ["QUARRY_ALLOW_PRIVATE_HOSTS", "10.0.0.0/33"],
    ["QUARRY_ALLOW_PRIVATE_HOSTS", "fd00::/129"],
    ["QUARRY_ALLOW_PRIVATE_HOSTS", "localhost:8080"],
    ["QUARRY_ALLOW_PRIVATE_HOSTS", "http://localhost"],
    ["QUARRY_ALLOW_PRIVATE_HOSTS", "10.0.0"],
  ])("refuses %s=%s and says what it expects", (name, text) => {
    expect(problemsOf({ [name]: text })).toEqual([expect.stringMatching(new RegExp(`^${name} is .+; expected .+`))]);
  });

  it("says which entry of a list is wrong", () => {
    expect(problemsOf({ QUARRY_ALLOW_PRIVATE_HOSTS: "10.0.0.0/8,10.0.0.0/99" })).toEqual([
      'QUARRY_ALLOW_PRIVATE_HOSTS is "10.0.0.0/99"; expected a comma list of host names, IP addresses or ' +
        "CIDR ranges such as 10.0.0.0/8, without scheme or port",
    ]);
  });

  it("suggests the nearest of a few choices", () => {
    expect(problemsOf({ QUARRY_LOG_LEVEL: "wanr" })).toEqual([
      'QUARRY_LOG_LEVEL is "wanr"; expected one of trace, debug, info, warn, error, fatal, silent; did you mean warn?',
    ]);
  });

  it.each(["QUARRY_DATABASE_URL", "QUARRY_API_KEY", "QUARRY_LLM_KEY"])("never repeats a refused %s", (name) => {
    expect(JSON.stringify(problemsOf({ [name]: "mysql://u:s3cret pass@h" }))).not.toContain("s3cret");
  });

  it("hides a password in a refused address", () => {
    expect(JSON.stringify(problemsOf({ QUARRY_LLM_URL: "ftp://u:s3cret@h" }))).not.toContain("s3cret");
  });
});

describe("names", () => {
  it.each([
    ["QUARRY_PROT", "QUARRY_PORT"],
    ["QUARRY_DATABSE_URL", "QUARRY_DATABASE_URL"],
    ["QUARRY_API_KEY_FIEL", "QUARRY_API_KEY_FILE"],
    ["QUARRY_PORT_FILE", "QUARRY_PORT"],
    ["QUARRY_OPENAI_KEY", "QUARRY_API_KEY"],
  ])("suggests for %s the nearest, %s", (name, nearest) => {
    expect(problemsOf({ [name]: "x" })).toEqual([`${name} is not a setting; did you mean ${nearest}?`]);
  });

  it.each([
    ["prot", "port"],
    ["QUARRY_PORT", "port"],
    ["databaseURL", "databaseUrl"],
    ["__proto__", "port"],
  ])("suggests for %s in the file the nearest, %s", (name, nearest) => {
    const files = { "/site/quarry.config.json": `{ "${name}": 1 }` };
    expect(problemsOf({}, files)).toEqual([`quarry.config.json: ${name} is not a setting; did you mean ${nearest}?`]);
  });
});

describe("the file", () => {
  verifies(
    ["config:file:quarry-config-json", "config:file:environment-wins"],
    "gives values in JSON's own types, below the environment",
    () => {
      const settings = {
        $schema: "./schema.json",
        port: 8000,
        sample: false,
        corsOrigins: ["https://a.example"],
        role: "all",
      };
      const config = load({ QUARRY_PORT: "9000" }, fileOf(settings));
      expect([config.port, config.sample, config.corsOrigins]).toEqual([9000, false, ["https://a.example"]]);
      expect([config.origins.port, config.origins.sample, config.origins.host]).toEqual([
        "env QUARRY_PORT",
        "file quarry.config.json",
        "default",
      ]);
    },
  );

  it("names itself when a value is wrong", () => {
    expect(problemsOf({}, fileOf({ port: "8000" }))).toEqual([
      'quarry.config.json: port is "8000"; expected a whole number from 0 to 65535 (0 picks a free port)',
    ]);
  });

  it.each(["[]", "null", "7700", '"text"'])("refuses %s", (text) => {
    expect(problemsOf({}, { "/site/quarry.config.json": text })).toEqual([
      'quarry.config.json is not an object; expected { "port": 7700, … }',
    ]);
  });

  it("says where it is not JSON", () => {
    expect(problemsOf({}, { "/site/quarry.config.json": "{ port: 1 }" })).toEqual([
      expect.stringMatching(/^quarry\.config\.json is not JSON: .+/),
    ]);
  });

  it("stops when it is there but cannot be read", () => {
    const readFile = (): string => {
      throw Object.assign(new Error("denied"), { code: "EACCES" });
    };
    expect(() => loadConfig({ env: {}, cwd: "/site", readFile })).toThrow("quarry.config.json cannot be read (EACCES)");
  });
});

describe("secrets in files", () => {
  it.each([
    ["QUARRY_API_KEY_FILE", "apiKey", "the-key\n", "the-key"],
    ["QUARRY_DATABASE_URL_FILE", "databaseUrl", "postgres://h/q\r\n", "postgres://h/q"],
    ["QUARRY_LLM_KEY_FILE", "llmKey", "k", "k"],
    ["QUARRY_EMBED_KEY_FILE", "embedKey", "k", "k"],
    ["QUARRY_UPSTREAM_BRAVE_KEY_FILE", "upstreamBraveKey", "k", "k"],
  ] as const)("reads %s without its last line break", (name, key, text, expected) => {
    const config = load({ [name]: "secrets/one" }, { "/site/secrets/one": text });
    expect([config[key], config.origins[key]]).toEqual([expected, `env ${name}`]);
  });

  verifies("config:variables:file-form", "reads every secret the design names from a file", () => {
    const names = ["API_KEY", "LLM_KEY", "EMBED_KEY", "UPSTREAM_EXA_KEY", "UPSTREAM_BRAVE_KEY", "UPSTREAM_SEARXNG_KEY"];
    const env = Object.fromEntries(names.map((name) => [`QUARRY_${name}_FILE`, `/run/${name}`]));
    const files = Object.fromEntries(names.map((name) => [`/run/${name}`, `secret-of-${name}\n`]));
    const config = load(
      { ...env, QUARRY_DATABASE_URL_FILE: "/run/database" },
      { ...files, "/run/database": "postgres://h/q\n" },
    );
    expect([config.apiKey, config.upstreamExaKey, config.databaseUrl]).toEqual([
      "secret-of-API_KEY",
      "secret-of-UPSTREAM_EXA_KEY",
      "postgres://h/q",
    ]);
  });

  it("reads one named in the configuration file, below the environment", () => {
    const files = { ...fileOf({ apiKeyFile: "/run/key" }), "/run/key": "from-file\n" };
    expect(load({}, files).apiKey).toBe("from-file");
    expect(load({ QUARRY_API_KEY: "from-env" }, files).apiKey).toBe("from-env");
  });

  verifies("config:variables:both-forms-refused", "refuses both forms at once", () => {
    expect(problemsOf({ QUARRY_API_KEY: "a", QUARRY_API_KEY_FILE: "/run/key" }, { "/run/key": "b" })).toEqual([
      "QUARRY_API_KEY and QUARRY_API_KEY_FILE are both set; expected one of them",
    ]);
  });

  it.each([
    ["/run/none", "QUARRY_API_KEY_FILE: /run/none cannot be read (ENOENT); expected a file that holds the secret"],
    ["/run/empty", "QUARRY_API_KEY_FILE: /run/empty is empty; expected the secret on one line"],
    ["/run/lines", /^QUARRY_API_KEY_FILE has a value that cannot be used; expected visible ASCII/],
  ])("says what is wrong with %s", (filePath, sentence) => {
    const files = { "/run/empty": "\n", "/run/lines": "one\ntwo\n" };
    const expected: unknown = typeof sentence === "string" ? sentence : expect.stringMatching(sentence);
    expect(problemsOf({ QUARRY_API_KEY_FILE: filePath }, files)).toEqual([expected]);
  });
});

describe("settings that depend on each other", () => {
  verifies("config:auth-none:loopback-only", "goes without keys on loopback alone", () => {
    expect(load({ QUARRY_AUTH: "none" }).auth).toBe("none");
    expect(problemsOf({ QUARRY_AUTH: "none", QUARRY_HOST: "0.0.0.0" })).toHaveLength(1);
  });

  verifies("config:roles:need-database-url", "lets processes share a database, not a directory", () => {
    for (const role of ["api", "worker"]) {
      expect(problemsOf({ QUARRY_ROLE: role })).toHaveLength(1);
      expect(problemsOf({ QUARRY_ROLE: role, QUARRY_DATABASE_URL: "postgres://h/q" })).toEqual([]);
    }
  });

  it.each(["127.0.0.1", "127.1.2.3", "::1", "localhost"])("lets %s go without keys", (host) => {
    expect(load({ QUARRY_AUTH: "none", QUARRY_HOST: host }).auth).toBe("none");
  });

  it.each(["0.0.0.0", "::", "192.168.0.2", "127.example.com"])("refuses %s without keys", (host) => {
    expect(problemsOf({ QUARRY_AUTH: "none", QUARRY_HOST: host })).toEqual([
      expect.stringContaining(`QUARRY_AUTH is "none" while QUARRY_HOST is "${host}"`),
    ]);
  });

  it.each(["api", "worker"])("refuses the role %s without a database to share", (role) => {
    expect(problemsOf({ QUARRY_ROLE: role })).toEqual([
      expect.stringContaining(`QUARRY_ROLE is "${role}" without QUARRY_DATABASE_URL`),
    ]);
    expect(load({ QUARRY_ROLE: role, QUARRY_DATABASE_URL: "postgres://h/q" }).role).toBe(role);
  });

  it("blames a value once, not also for what depends on it", () => {
    expect(problemsOf({ QUARRY_ROLE: "api", QUARRY_DATABASE_URL_FILE: "/run/none" })).toHaveLength(1);
    expect(problemsOf({ QUARRY_ROLE: "api", QUARRY_DATABASE_URL: "mysql://h" })).toHaveLength(1);
  });
});

verifies(
  ["config:unknown:names-nearest", "config:malformed:names-variable", "config:file:unknown-key"],
  "lists all problems in one error",
  () => {
    const env = {
      QUARRY_PROT: "1",
      QUARRY_PORT: "x",
      QUARRY_AUTH: "none",
      QUARRY_HOST: "0.0.0.0",
      QUARRY_LLM_KEY_FILE: "/n",
    };
    expect(() => load(env, fileOf({ rol: "api" }))).toThrow(
      new RegExp(
        [
          "The configuration cannot be used:",
          "  - QUARRY_LLM_KEY_FILE: .+",
          "  - QUARRY_PROT is not a setting; did you mean QUARRY_PORT\\?",
          "  - quarry.config.json: rol is not a setting; did you mean role\\?",
          "  - QUARRY_PORT is .+",
          "  - QUARRY_AUTH is .+$",
        ].join("\n"),
      ),
    );
  },
);
