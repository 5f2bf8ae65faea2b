import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { withSearchApp, type GivenDocument } from "../../testing.ts";

const PATH = "/quarry/v1/judged-queries";
const DOCUMENTS: readonly GivenDocument[] = [
  { url: "https://a.example.org/lava", title: "Lava", text: "Lava flows down the mountain when a volcano erupts." },
  { url: "https://a.example.org/bread", title: "Bread", text: "Bread is baked from flour, water and salt in an oven." },
  {
    url: "https://a.example.org/cake",
    title: "Cake",
    text: "A cake is baked from flour, sugar and butter in an oven.",
  },
];
const BAKED = {
  query: "flour oven baked",
  judgments: [
    { url: "https://a.example.org/bread#top", grade: 3 },
    { url: "https://a.example.org/cake", grade: 1 },
  ],
};

interface Run {
  readonly ranAt: string;
  readonly queries: number;
  readonly figures: readonly { readonly type: string; readonly ndcg: number; readonly mrr: number }[];
}

verifies(
  "console:index-lab:judged-queries",
  "keeps queries with their good pages, asks them in every way, and lists the figures of each round",
  () =>
    withSearchApp(async ({ add, call, makeKey, makeTeam }) => {
      await add(DOCUMENTS);
      expect((await call("POST", `${PATH}/runs`)).statusCode).toBe(400); // nothing to ask
      const saved = await call("PUT", PATH, { body: BAKED });
      expect(saved.statusCode, saved.body).toBe(200);
      const again = await call("PUT", PATH, { body: BAKED });
      expect(again.json<{ id: string }>().id).toBe(saved.json<{ id: string }>().id);
      const missing = { query: "quantum chromodynamics", judgments: [{ url: "https://b.example.org/" }] };
      const other = (await call("PUT", PATH, { body: missing })).json<{ id: string; judgments: object }>();
      expect(other.judgments).toEqual([{ url: "https://b.example.org/", grade: 1 }]);
      for (const wrong of [
        {},
        { query: " ", judgments: BAKED.judgments },
        { query: "q", judgments: [] },
        { query: "q", judgments: [{ url: "mailto:a@example.org" }] },
        { query: "q", judgments: [{ url: "https://b.example.org/", grade: 4 }] },
      ]) {
        expect([wrong, (await call("PUT", PATH, { body: wrong })).statusCode]).toEqual([wrong, 400]);
      }

      const first = (await call("POST", `${PATH}/runs`)).json<Run>();
      expect([first.queries, first.figures.map(({ type }) => type)]).toEqual([
        2,
        ["keyword", "fast", "neural", "auto"],
      ]);
      // One query is answered whole by words, the other not at all.
      const byWords = first.figures.find(({ type }) => type === "keyword");
      expect(byWords?.mrr).toBe(0.5);
      expect(byWords?.ndcg).toBeGreaterThan(0.39); // the two in either order
      expect(byWords?.ndcg).toBeLessThanOrEqual(0.5);
      expect((await call("DELETE", `${PATH}/${other.id}`)).statusCode).toBe(200);
      const second = (await call("POST", `${PATH}/runs`)).json<Run>();
      expect(second.figures.find(({ type }) => type === "keyword")?.mrr).toBe(1);
      expect((await call("GET", `${PATH}/runs`)).json()).toEqual({ data: [second, first] });

      const { secret: key } = await makeKey({ teamId: await makeTeam() });
      for (const address of [PATH, `${PATH}/runs`]) {
        expect((await call("GET", address, { key })).json()).toEqual({ data: [] });
      }
      const { id } = saved.json<{ id: string }>();
      expect((await call("DELETE", `${PATH}/${id}`, { key })).statusCode).toBe(404);
      const { secret: reader } = await makeKey({ scopes: ["search"] });
      expect((await call("GET", PATH, { key: reader })).statusCode).toBe(200);
      expect((await call("PUT", PATH, { key: reader, body: BAKED })).statusCode).toBe(403);
    }),
  60_000,
);
