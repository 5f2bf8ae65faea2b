import { AppError } from "@quarry/base";
import { afterEach, expect, it } from "vitest";
import { startTestModelServer, type ModelAnswer } from "../testing.ts";
import { createOpenAiEmbedder } from "./openai-embedder.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Vectors of the text's length and its first character, sent in reverse order. */
const wellBehaved: ModelAnswer = ({ body }, response) => {
  const data = textsOf(body).map((text, index) => ({ index, embedding: [text.length, text.charCodeAt(0), 0] }));
  response.end(JSON.stringify({ data: data.reverse() }));
};

function textsOf(body: Readonly<Record<string, unknown>>): readonly string[] {
  return body["input"] as readonly string[];
}

async function startModelServer(answer: ModelAnswer) {
  const server = await startTestModelServer(answer);
  closers.push(server.close);
  const endpoint = { url: server.url, key: "sk-secret" };
  return { ...server, connect: () => createOpenAiEmbedder(server.deps, { endpoint, model: "bge" }) };
}

async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof AppError)) throw new Error("expected an AppError");
  return thrown;
}

it("asks for vectors in batches, puts them in order and at unit length", async () => {
  const { seen, connect, url } = await startModelServer(wellBehaved);
  const embedder = await connect();
  expect([embedder.model, embedder.dimensions]).toEqual([`bge@${new URL(url).host}`, 3]);
  const texts = Array.from({ length: 100 }, (_, index) => "x".repeat(index + 1));
  const vectors = await embedder.embed(texts);
  expect(vectors.map((vector) => Math.round(120 * ((vector[0] ?? 0) / (vector[1] ?? 1))))).toEqual(
    texts.map((text) => text.length),
  );
  for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  expect(seen.map(({ body }) => textsOf(body).length)).toEqual([1, 64, 36]);
  expect(seen[0]?.headers.authorization).toBe("Bearer sk-secret");
  expect(await embedder.embed([])).toEqual([]);
});

it("tries again when the server is busy, after the time it names", async () => {
  const { waits, connect } = await startModelServer((request, response, tries) => {
    if (tries === 1) response.writeHead(503, { "retry-after": "3" }).end("loading");
    else if (tries === 2) response.writeHead(429).end("{}");
    else if (tries === 3) response.end("<html>");
    else wellBehaved(request, response, tries);
  });
  expect((await connect()).dimensions).toBe(3);
  expect(waits).toEqual([3_000, 1_000, 2_000]);
});

it.each<[string, ModelAnswer, RegExp]>([
  [
    "a wrong key",
    (_, response) => response.writeHead(401).end('{"error":"no such key"}'),
    /answered 401: .*no such key/,
  ],
  ["a redirect", (_, response) => response.writeHead(302, { location: "http://evil.example/" }).end(), /answered 302/],
  ["too few vectors", (_, response) => response.end('{"data":[]}'), /not one vector for each/],
  ["no numbers", (_, response) => response.end('{"data":[{"embedding":["a"]}]}'), /without numbers/],
  ["a cut-off reply", (_, response) => response.writeHead(200, { "content-length": "9" }).destroy(), /127\.0\.0\.1/],
])("says what is wrong with %s, and never the key", async (_, answer, message) => {
  const { connect } = await startModelServer(answer);
  const error = await failureOf(connect());
  expect(error.message).toMatch(message);
  expect(error.message).not.toContain("sk-secret");
});

it("refuses vectors whose length changes", async () => {
  const { connect } = await startModelServer(({ body }, response, tries) => {
    response.end(JSON.stringify({ data: textsOf(body).map(() => ({ embedding: tries === 1 ? [1, 0] : [1, 0, 0] })) }));
  });
  const embedder = await connect();
  expect((await failureOf(embedder.embed(["a"]))).message).toContain("vectors of 3 numbers");
});

it("stops at once when the caller goes away", async () => {
  const { connect } = await startModelServer((request, response, tries) => {
    if (tries === 1) wellBehaved(request, response, tries);
  });
  const embedder = await connect();
  const controller = new AbortController();
  const work = embedder.embed(["a"], controller.signal);
  setTimeout(() => controller.abort(new Error("gone")), 50);
  await expect(work).rejects.toThrow("gone");
});
