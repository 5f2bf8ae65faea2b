import { AppError } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { withSearchApp, type GivenDocument } from "../../testing.ts";

const ETNA: GivenDocument = {
  url: "https://science.example.org/etna",
  title: "Etna",
  text:
    "Mount Etna is a volcano on the island of Sicily. It erupted in 2021 and ash fell on Catania. " +
    "The summit is 3,357 metres high. Farmers grow lemons on its slopes.",
};

interface Frame {
  readonly type: string;
  readonly choices?: readonly {
    readonly delta: { readonly content?: string };
    readonly finish_reason: string | null;
  }[];
  readonly [key: string]: unknown;
}

/** The frames of a stream, which must be data lines with JSON and blank lines between them. */
function readFrames(text: string): readonly Frame[] {
  expect(text).toMatch(/^(?:data: [^\n]+\n\n)+$/);
  const lines = text.split("\n\n").filter((line) => line !== "");
  expect(lines.at(-1)).toBe("data: [DONE]");
  return lines.slice(0, -1).map((line) => JSON.parse(line.replace(/^data: /, "")) as Frame);
}

describe("outputSchema", () => {
  verifies(
    ["search:output:schema-object", "search:output:grounding", "search:output:extractive-without-model"],
    "fills an object from what stands on the pages, names them, and guesses nothing",
    () =>
      withSearchApp(async (world) => {
        await world.add([ETNA]);
        const outputSchema = {
          type: "object",
          properties: {
            eruptionYear: { type: "integer", description: "the year in which Etna erupted" },
            height: { type: "number", description: "how many metres high the summit is" },
            crop: { type: "string", description: "what farmers grow" },
            isActive: { type: ["boolean", "null"] },
            visitors: { type: "integer", description: "how many visitors come" },
            sources: { type: "array", items: { type: "object", properties: { title: { type: "string" } } } },
          },
          required: ["eruptionYear", "visitors"],
          additionalProperties: false,
        };
        const { body } = await world.post("/search", { query: "Etna", type: "keyword", outputSchema });
        expect(body.output?.content).toEqual({
          eruptionYear: 2021,
          height: 3357,
          crop: "Farmers grow lemons on its slopes.",
          isActive: null,
          visitors: null,
          sources: [{ title: "Etna" }],
        });
        expect(body.output?.grounding.map(({ field }) => field)).toEqual([
          "eruptionYear",
          "height",
          "crop",
          "sources[0].title",
        ]);
        for (const { citations, confidence } of body.output?.grounding ?? []) {
          expect(citations).toEqual([{ url: ETNA.url, title: "Etna" }]);
          expect(["low", "medium", "high"]).toContain(confidence);
        }
        expect(body.warnings?.map(({ code }) => code)).toContain("extractive_output");
        expect(body.results[0]).not.toHaveProperty("text");
      }),
  );

  verifies(
    "search:output:extractive-without-model",
    "leaves open what no sentence speaks of, however well it answers the query",
    () =>
      withSearchApp(async (world) => {
        await world.add([ETNA]);
        const text = { type: "string" };
        const outputSchema = {
          type: "object",
          properties: {
            title: text,
            author: text,
            summary: text,
            island: text,
            mayor_name: text,
            phone_number: text,
            ticket_price: { type: "number" },
            eruption_year: { type: "integer" },
            discovery_year: { type: "integer" },
          },
        };
        const ask = { query: "Mount Etna volcano", type: "keyword" };
        const { body } = await world.post("/search", { ...ask, outputSchema });
        const first = "Mount Etna is a volcano on the island of Sicily.";
        expect(body.output?.content).toEqual({ title: "Etna", summary: first, island: first, eruption_year: 2021 });
        const contents = { summary: { query: "what is it", schema: { ...outputSchema, required: ["title"] } } };
        const [result] = (await world.post("/search", { ...ask, contents })).body.results;
        expect(JSON.parse(result?.summary ?? "")).toMatchObject({ title: "Etna" });
      }),
  );

  verifies(
    ["search:output:schema-text", "search:output:system-prompt"],
    "makes a text of sentences, and looks where systemPrompt points",
    () =>
      withSearchApp(async (world) => {
        await world.add([ETNA]);
        const ask = async (systemPrompt?: string): Promise<string> => {
          const body = { query: "Etna", type: "keyword", outputSchema: { type: "text" }, systemPrompt };
          const { content } = (await world.post("/search", body)).body.output ?? {};
          return typeof content === "string" ? content : "";
        };
        expect(await ask()).toContain("Mount Etna is a volcano on the island of Sicily.");
        expect(await ask("tell about lemons and farmers")).toMatch(/^Farmers grow lemons on its slopes\./);
      }),
  );

  verifies("search:output:invalid-schema", "refuses a schema that is none", () =>
    withSearchApp(async (world) => {
      const broken = [
        { type: "strange" },
        { type: "object", properties: { a: { type: "nothing" } } },
        { type: "object", properties: { a: { $ref: "https://elsewhere.example/schema" } } },
        { type: "object", properties: { a: { $ref: "#/definitions/missing" } } },
        { type: "array", items: {} },
        { type: "object", required: "a" },
        { type: "object", properties: { a: { type: "string", pattern: "(" } } },
      ];
      for (const outputSchema of broken) {
        const { status, body } = await world.post("/search", { query: "q", type: "keyword", outputSchema });
        expect([JSON.stringify(outputSchema), status, body.tag]).toEqual([
          JSON.stringify(outputSchema),
          400,
          "INVALID_JSON_SCHEMA",
        ]);
      }
      const summary = { schema: { type: "nothing" } };
      const { body } = await world.post("/contents", { urls: ["https://e.org/"], summary, livecrawl: "never" });
      expect(body.tag).toBe("INVALID_JSON_SCHEMA");
    }),
  );
});

describe("a stream", () => {
  verifies(
    [
      "search:stream:frames",
      "search:stream:order",
      "search:stream:choices-in-deltas",
      "search:stream:citations-in-grounding",
      "search:stream:done-marker",
      "search:stream:only-with-schema",
      "http:trap:streams-are-200",
    ],
    "comes in frames that chat clients read, only with an outputSchema",
    () =>
      withSearchApp(async (world) => {
        await world.add([ETNA]);
        const asked = { query: "Etna volcano", type: "keyword", stream: true };
        const plain = await world.post("/search", asked);
        expect([plain.status, plain.headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
        const reply = await world.call("POST", "/search", { body: { ...asked, outputSchema: { type: "text" } } });
        expect([reply.statusCode, reply.headers["content-type"]]).toEqual([200, "text/event-stream; charset=utf-8"]);
        const frames = readFrames(reply.body);
        const types = frames.map(({ type }) => type);
        expect([types[0], types.at(-2), types.at(-1)]).toEqual(["results", "grounding", "done"]);
        const deltas = frames.filter(({ type }) => type === "text-delta");
        expect(types).toEqual(["results", ...deltas.map(() => "text-delta"), "grounding", "done"]);
        const text = deltas.map(({ choices }) => choices?.[0]?.delta.content).join("");
        const done = frames.at(-1);
        expect(done).toMatchObject({ output: { content: text }, costDollars: { total: 0.007 } });
        expect(text).toContain("Mount Etna is a volcano on the island of Sicily.");
        expect(frames.at(-2)?.["citations"]).toEqual([{ id: ETNA.url, url: ETNA.url, title: "Etna" }]);
        expect(frames.every((frame) => frame["requestId"] === reply.headers["x-request-id"])).toBe(true);
      }),
  );

  verifies("search:stream:error-frame", "tells of a failure in a frame once it has begun", () =>
    withSearchApp(
      async (world) => {
        await world.add([ETNA]);
        const body = { query: "Etna", type: "keyword", stream: true, outputSchema: { type: "text" } };
        const reply = await world.call("POST", "/search", { body });
        const last = reply.body.trim().split("\n\n").at(-1) ?? "";
        expect([reply.statusCode, JSON.parse(last.replace(/^data: /, ""))]).toEqual([
          200,
          { type: "error", error: { message: "the scorer broke" } },
        ]);
      },
      {
        change: () => ({
          scoreSentences: () => {
            throw new AppError("internal", "the scorer broke");
          },
        }),
      },
    ),
  );
});
