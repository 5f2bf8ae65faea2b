import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { afterEach, beforeEach, describe, expect } from "vitest";

const installer = path.resolve("tools", "ensure-installed.mjs");

/** A clone as small as can be: the real installer, a lock file without packages, a build that leaves a mark. */
let clone = "";
beforeEach(() => {
  clone = mkdtempSync(path.join(tmpdir(), "quarry-clone-"));
  mkdirSync(path.join(clone, "tools"));
  cpSync(installer, path.join(clone, "tools", "ensure-installed.mjs"));
  writeFileSync(
    path.join(clone, "tools", "build.mjs"),
    `import { existsSync, writeFileSync } from "node:fs";
     export const isBuilt = () => existsSync("built");
     export const build = async () => { process.stderr.write("Building…\\n"); writeFileSync("built", ""); };`,
  );
  const manifest = { name: "clone", version: "1.0.0", private: true };
  writeFileSync(path.join(clone, "package.json"), JSON.stringify(manifest));
  writeFileSync(
    path.join(clone, "package-lock.json"),
    JSON.stringify({ ...manifest, lockfileVersion: 3, requires: true, packages: { "": manifest } }),
  );
});
afterEach(() => rmSync(clone, { recursive: true, force: true }));

function install(nodeOptions: readonly string[] = []): { readonly code: number | null; readonly said: string } {
  const run = spawnSync(process.execPath, [...nodeOptions, "tools/ensure-installed.mjs"], {
    cwd: clone,
    encoding: "utf8",
  });
  return { code: run.status, said: run.stdout + run.stderr };
}

describe("ensure-installed", () => {
  verifies(
    [
      "commands:install:missing-packages-first",
      "commands:install:says-what-it-does",
      "commands:install:skipped-when-unchanged",
      "commands:build:bundles-when-installing",
      "commands:build:skipped-when-unchanged",
      "commands:install:from-empty",
    ],
    "installs and builds what is missing, says so, and then says nothing",
    () => {
      expect(install()).toEqual({
        code: 0,
        said: expect.stringMatching(/^Installing packages.*\nBuilding…\n$/) as unknown,
      });
      expect(install()).toEqual({ code: 0, said: "" });
      rmSync(path.join(clone, "node_modules"), { recursive: true, force: true });
      expect(install().said).toMatch(/^Installing packages/);
      rmSync(path.join(clone, "built"));
      expect(install().said).toBe("Building…\n");
    },
    60_000,
  );

  verifies(
    "commands:install:hash-covers-lock-node-platform",
    "installs again when the lock file changes",
    () => {
      install();
      const lock = path.join(clone, "package-lock.json");
      writeFileSync(lock, `${readFileSync(lock, "utf8")}\n`);
      expect(install().said).toMatch(/^Installing packages/);
    },
    60_000,
  );

  verifies(
    "commands:install:two-at-once",
    "does the work once when two start together",
    async () => {
      const runs = await Promise.all(
        [1, 2].map(
          () =>
            new Promise<{ code: number | null; said: string }>((resolve) => {
              const child = spawn(process.execPath, ["tools/ensure-installed.mjs"], { cwd: clone });
              let said = "";
              child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
              child.on("close", (code) => resolve({ code, said }));
            }),
        ),
      );
      expect(runs.map(({ code }) => code)).toEqual([0, 0]);
      expect(
        runs
          .map(({ said }) => said)
          .join("")
          .match(/Installing packages/g),
      ).toHaveLength(1);
      expect(
        runs
          .map(({ said }) => said)
          .join("")
          .match(/Building/g),
      ).toHaveLength(1);
    },
    60_000,
  );

  verifies(
    "commands:install:stale-lock-recovered",
    "takes over a lock whose process is gone",
    () => {
      const dead = spawnSync(process.execPath, ["-e", "0"]).pid;
      mkdirSync(path.join(clone, ".install-lock"));
      writeFileSync(path.join(clone, ".install-lock", "pid"), String(dead));
      expect(install().code).toBe(0);
      expect(existsSync(path.join(clone, ".install-lock"))).toBe(false);
    },
    60_000,
  );

  verifies(
    "commands:install:old-node-refused",
    "refuses an old Node, naming both versions",
    () => {
      const disguise = path.join(clone, "disguise.cjs");
      writeFileSync(
        disguise,
        `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.4" } });`,
      );
      const { code, said } = install(["--require", disguise]);
      expect(code).toBe(1);
      expect(said).toContain("20.19");
      expect(said).toContain("18.20.4");
    },
    60_000,
  );

  verifies("commands:install:built-ins-only", "needs nothing but Node itself", () => {
    const imported = [...readFileSync(installer, "utf8").matchAll(/from "([^"]+)"/g)].map(([, name]) => name ?? "");
    expect(imported.filter((name) => !builtinModules.includes(name.replace(/^node:/, "")))).toEqual([]);
  });

  verifies("commands:install:no-dependency-scripts", "never runs a dependency's own scripts", () => {
    expect(readFileSync(".npmrc", "utf8")).toMatch(/^ignore-scripts=true$/m);
    expect(readFileSync(installer, "utf8")).toContain("--ignore-scripts");
  });
});
