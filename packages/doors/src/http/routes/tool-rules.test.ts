import { expect, it } from "vitest";
import { withHttpApp } from "../../testing.ts";
import { toolRuleRoutes } from "./tool-rules.ts";

const PATH = "/quarry/v1/tool-rules";
const NOW = new Date("2026-01-01T00:00:00.000Z");

interface Rules {
  readonly data: readonly { readonly id: string; readonly sessionId: string | null; readonly match: object }[];
}

it("adds, lists and forgets rules of its own team, by those who answer approvals, and refuses one that says nothing", () =>
  withHttpApp(
    async ({ call, makeKey, makeTeam }) => {
      const match = { tools: ["exa_*"], hosts: ["a.example"] };
      const once = { headers: { "idempotency-key": "one" }, body: { match } };
      const made = await call("POST", PATH, once);
      expect([made.statusCode, made.json()]).toMatchObject([
        201,
        { data: [{ sessionId: null, match, createdAt: NOW.toISOString() }] },
      ]);
      const again = await call("POST", PATH, once);
      expect([again.headers["idempotent-replayed"], again.body]).toEqual(["true", made.body]);
      const [rule] = made.json<Rules>().data;
      const { secret: stranger } = await makeKey({ teamId: await makeTeam() });
      expect((await call("GET", PATH, { key: stranger })).json()).toEqual({ data: [] });
      expect((await call("DELETE", `${PATH}/${rule?.id ?? ""}`, { key: stranger })).statusCode).toBe(404);
      const { secret: reader } = await makeKey({ scopes: ["search"] });
      expect((await call("POST", PATH, { key: reader, body: { match } })).statusCode).toBe(403);
      expect((await call("GET", PATH)).json<Rules>().data).toHaveLength(1);
      expect((await call("DELETE", `${PATH}/${rule?.id ?? ""}`)).json()).toEqual({ success: true });
      expect((await call("DELETE", `${PATH}/${rule?.id ?? ""}`)).statusCode).toBe(404);
      for (const [wrong, words] of [
        [{}, "would allow every call"],
        [{ tools: [] }, "tools"],
        [{ tool: ["shell"] }, "tool"],
      ] as const) {
        const refused = await call("POST", PATH, { body: { match: wrong } });
        const { error } = refused.json<{ error: string }>();
        expect([refused.statusCode, error]).toEqual([400, expect.stringContaining(words)]);
      }
      expect((await call("GET", PATH)).json()).toEqual({ data: [] });
    },
    ({ db }) => ({ routes: toolRuleRoutes({ db, clock: { now: () => NOW } }) }),
  ));
