import { startTestModelServer, type ModelAnswer } from "@quarry/models/testing";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { runServerProgram, startServerProcess, withDataDirectory } from "../../tools/server-process.ts";

const LONG = 120_000;

/** Vectors of how often each letter comes: near for texts of the same words. */
const letters: ModelAnswer = ({ body }, response) => {
  const data = (body["input"] as readonly string[]).map((text, index) => {
    const embedding = new Array<number>(26).fill(0.01);
    for (const letter of text.toLowerCase()) {
      const place = letter.charCodeAt(0) - 97;
      if (place >= 0 && place < 26) embedding[place] = (embedding[place] ?? 0) + 1;
    }
    return { index, embedding };
  });
  response.end(JSON.stringify({ data }));
};

verifies(
  "index:models:remote-embedder",
  "takes vectors from QUARRY_EMBED_URL, for pages and for queries; says why it does not start when the endpoint refuses",
  async () => {
    const models = await startTestModelServer(letters);
    const refusing = await startTestModelServer((_, response) => response.writeHead(401).end("no such key"));
    try {
      await withDataDirectory(async (directory) => {
        const refused = await runServerProgram(directory, { QUARRY_PORT: "0", QUARRY_EMBED_URL: refusing.url });
        expect(refused.code).toBe(1);
        expect(refused.stderr).toContain("answered 401: no such key");
        const settings = { QUARRY_EMBED_URL: models.url, QUARRY_EMBED_MODEL: "letters", QUARRY_EMBED_KEY: "sk-embed" };
        const server = await startServerProcess(directory, settings);
        const documents = [
          { url: "https://a.example/", title: "zz", text: "zzz zzzz zz zzzzz" },
          { url: "https://b.example/", title: "oo", text: "ooo oooo oo ooooo" },
        ];
        await server.call("POST", "/quarry/v1/documents?wait=true", documents);
        const search = (): Promise<{ body: unknown }> =>
          server.call("POST", "/search", { query: "zzzzzzz", type: "neural", numResults: 1 });
        await expect
          .poll(search, { timeout: 30_000 })
          .toMatchObject({ body: { results: [{ url: "https://a.example/" }] } });
        expect(models.seen.every(({ headers }) => headers.authorization === "Bearer sk-embed")).toBe(true);
        const { body } = await server.call("GET", "/quarry/v1/health");
        expect(JSON.stringify(body)).toContain("letters@127.0.0.1");
        await server.stop();
      });
    } finally {
      await Promise.all([models.close(), refusing.close()]);
    }
  },
  LONG,
);
