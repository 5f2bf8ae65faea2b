import { expect, it } from "vitest";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../../tools/server-process.ts";
import { readOperations, type Operation } from "../../tools/soak/http-fuzz.ts";

const KEY_SCOPES = ["search"] as const;

it(
  "every operation of the API page refuses no key, a wrong, a revoked and an unscoped one",
  () =>
    withDataDirectory(async (directory) => {
      const server = await startServerProcess(directory);
      try {
        const narrow = await makeKey(server, "narrow");
        const revoked = await makeKey(server, "revoked");
        await server.call("DELETE", `/quarry/v1/keys/${revoked.id}`);
        const { operations } = await readOperations(server);
        const guarded = operations.filter(({ isOpen }) => !isOpen);
        expect(guarded.length).toBeGreaterThan(100);
        const wrong: string[] = [];
        for (const operation of guarded) {
          const expected: readonly (readonly [string, string | undefined, number])[] = [
            ["no key", undefined, 401],
            ["a wrong key", "not-a-key", 401],
            ["a revoked key", revoked.key, 401],
            ...(operation.scope === undefined || operation.scope === KEY_SCOPES[0]
              ? []
              : [["an unscoped key", narrow.key, 403] as const]),
          ];
          for (const [name, key, status] of expected) {
            const got = await statusOf(server, operation, key);
            if (got !== status) wrong.push(`${operation.method} ${operation.path} with ${name}: ${got}, not ${status}`);
          }
        }
        expect(wrong).toEqual([]);
      } finally {
        await server.stop();
      }
    }),
  120_000,
);

async function makeKey(server: ServerProcess, name: string): Promise<{ readonly id: string; readonly key: string }> {
  const { body } = await server.call("POST", "/quarry/v1/keys", { name, scopes: KEY_SCOPES });
  return body as { id: string; key: string };
}

async function statusOf(server: ServerProcess, operation: Operation, key: string | undefined): Promise<number> {
  const reply = await fetch(`${server.url}${operation.path.replaceAll(/\{\w+\}/g, "x")}`, {
    method: operation.method,
    headers: {
      ...(key !== undefined && { "x-api-key": key }),
      ...(operation.body !== undefined && { "content-type": "application/json" }),
    },
    ...(operation.body !== undefined && { body: "{}" }),
    redirect: "manual",
  });
  await reply.body?.cancel();
  return reply.status;
}
