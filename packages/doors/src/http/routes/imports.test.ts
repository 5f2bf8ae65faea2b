import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createDirectoryBlobStore } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { fakeClock, type FakeClock } from "../../testing-clock.ts";
import { withHttpApp, type HttpWorld } from "../../testing.ts";
import { importRoutes } from "./imports.ts";

const WISH = { size: 200, count: 2, format: "csv", entity: { type: "company" } };
const CSV = "name,url\nA,https://a.example\nB,https://b.example\n";

async function withImports(
  work: (world: HttpWorld, clock: FakeClock) => Promise<void>,
  options: { readonly publicUrl?: string } = {},
): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-imports-"));
  const clock = fakeClock();
  try {
    await withHttpApp(
      (world) => work(world, clock),
      ({ db }) => ({
        clock,
        routes: importRoutes({ database: db, clock, blobs: createDirectoryBlobStore(directory) }),
        ...options,
      }),
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function create(world: HttpWorld, change: Record<string, unknown> = {}) {
  const reply = await world.call("POST", "/websets/v0/imports", { body: { ...WISH, ...change } });
  return { status: reply.statusCode, body: reply.json<Record<string, string>>() };
}

function put(world: HttpWorld, uploadUrl: string, payload: string | Buffer, headers: Record<string, string> = {}) {
  const { pathname, search } = new URL(uploadUrl);
  return world.app.inject({
    method: "PUT",
    url: pathname + search,
    payload,
    headers: { host: "localhost", ...headers },
  });
}

verifies(
  [
    "imports:create:201",
    "imports:create:title-default",
    "imports:create:metadata",
    "imports:upload:absolute",
    "imports:upload:no-key",
    "imports:upload:any-content-type",
    "imports:upload:single-use",
  ],
  "an import is announced, gets its file once and without a key, and then waits for a worker",
  () =>
    withImports(async (world) => {
      const { status, body } = await create(world, { metadata: { list: "one" } });
      expect([status, body]).toEqual([
        201,
        {
          id: expect.stringMatching(/^import_[0-9a-z]{26}$/) as string,
          object: "import",
          status: "pending",
          format: "csv",
          entity: { type: "company" },
          title: "Untitled import",
          count: 2,
          metadata: { list: "one" },
          failedReason: null,
          failedAt: null,
          failedMessage: null,
          createdAt: "2026-03-01T12:00:00.000Z",
          updatedAt: "2026-03-01T12:00:00.000Z",
          uploadUrl: expect.stringMatching(
            /^http:\/\/[^/]+\/websets\/v0\/imports\/import_\w+\/upload\?token=.{20,}$/,
          ) as string,
          uploadValidUntil: "2026-03-01T13:00:00.000Z",
        },
      ]);
      const uploaded = await put(world, body["uploadUrl"] ?? "", CSV, { "content-type": "image/x-odd" });
      expect([uploaded.statusCode, uploaded.json()]).toMatchObject([200, { status: "processing" }]);
      const again = await put(world, body["uploadUrl"] ?? "", CSV);
      expect([again.statusCode, again.json()]).toMatchObject([
        409,
        { message: expect.stringContaining("used") as string },
      ]);
      const bare = await create(world);
      expect((await put(world, bare.body["uploadUrl"] ?? "", Buffer.from(CSV))).statusCode).toBe(200);
    }),
);

verifies(
  ["imports:upload:expires", "imports:upload:size-cap", "imports:bad-input:nothing-half-made"],
  "a wrong, expired or too large upload is refused and leaves the import as it was",
  () =>
    withImports(async (world, clock) => {
      const { body } = await create(world, { size: 60 });
      const url = body["uploadUrl"] ?? "";
      const state = async () => (await world.call("GET", `/websets/v0/imports/${body["id"] ?? ""}`)).json<unknown>();
      const before = await state();
      expect((await put(world, url, "x".repeat(61))).statusCode).toBe(413);
      expect((await put(world, `${url}x`, CSV)).statusCode).toBe(403);
      expect((await put(world, url.replace(/\?.*/, ""), CSV)).statusCode).toBe(400);
      expect(await state()).toEqual(before);
      clock.advance(60 * 60 * 1000 - 1);
      expect((await put(world, url, CSV.slice(0, 40))).statusCode).toBe(200);
      const late = await create(world);
      clock.advance(60 * 60 * 1000);
      const reply = await put(world, late.body["uploadUrl"] ?? "", CSV);
      expect([reply.statusCode, reply.json()]).toMatchObject([
        410,
        { message: expect.stringContaining("expired") as string },
      ]);
      expect(
        (await put(world, "http://localhost/websets/v0/imports/import_none/upload?token=abc", CSV)).statusCode,
      ).toBe(403);
    }),
);

verifies(
  "imports:upload:public-url",
  "the address follows the configured host, or the one the request named",
  async () => {
    await withImports(
      async (world) => {
        const { body } = await create(world);
        expect(body["uploadUrl"]).toMatch(/^https:\/\/quarry\.example\/base\/websets\/v0\/imports\//);
      },
      { publicUrl: "https://quarry.example/base" },
    );
    await withImports(async (world) => {
      const reply = await world.call("POST", "/v0/imports", { body: WISH, headers: { host: "127.0.0.1:9999" } });
      expect(reply.json<{ uploadUrl: string }>().uploadUrl).toMatch(/^http:\/\/127\.0\.0\.1:9999\/websets\/v0\//);
    });
  },
);

verifies(
  ["imports:create:required", "imports:create:size-limit"],
  "what is missing or too large is refused with the field's name",
  () =>
    withImports(async (world) => {
      for (const field of ["size", "count", "format", "entity"]) {
        const { status, body } = await create(world, { [field]: undefined });
        expect([field, status, body["message"]]).toEqual([field, 400, expect.stringContaining(field)]);
      }
      for (const [change, field] of [
        [{ size: 50_000_001 }, "size"],
        [{ size: 0 }, "size"],
        [{ format: "xlsx" }, "format"],
        [{ entity: { type: "custom" } }, "entity.description"],
        [{ csv: { identifier: -1 } }, "csv.identifier"],
        [{ metadata: { a: 1 } }, "metadata.a"],
      ] as const) {
        const { status, body } = await create(world, change);
        expect([status, body["message"]]).toEqual([400, expect.stringContaining(field)]);
      }
      expect((await world.call("GET", "/websets/v0/imports")).json()).toMatchObject({ data: [] });
    }),
);

verifies(
  ["imports:list:paged", "imports:get:unknown", "imports:update:title-metadata", "imports:delete:returns-object"],
  "imports are listed newest first, changed and deleted, and no other team sees them",
  () =>
    withImports(async (world, clock) => {
      const ids: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        clock.advance(1);
        ids.unshift((await create(world, { title: `List ${count}` })).body["id"] ?? "");
      }
      const first = (await world.call("GET", "/websets/v0/imports?limit=2")).json<{
        data: { id: string }[];
        nextCursor: string;
      }>();
      const rest = (await world.call("GET", `/websets/v0/imports?cursor=${first.nextCursor}`)).json<typeof first>();
      expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(ids);
      const one = `/websets/v0/imports/${ids[0] ?? ""}`;
      const patched = await world.call("PATCH", one, { body: { title: "Named", metadata: { a: "b" } } });
      expect(patched.json()).toMatchObject({ title: "Named", metadata: { a: "b" }, status: "pending" });
      expect((await world.call("PATCH", one, { body: { metadata: null } })).json()).toMatchObject({
        title: "Named",
        metadata: {},
      });
      const { secret } = await world.makeKey({ teamId: await world.makeTeam() });
      for (const method of ["GET", "PATCH", "DELETE"]) {
        const foreign = await world.call(method, one, { key: secret, ...(method === "PATCH" && { body: {} }) });
        expect(foreign.statusCode).toBe(404);
      }
      expect((await world.call("DELETE", one)).json()).toMatchObject({ id: ids[0], object: "import" });
      expect((await world.call("GET", one)).statusCode).toBe(404);
    }),
);
