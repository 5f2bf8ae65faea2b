import { createFakeEmbedder, type Embedder } from "@quarry/models";
import { expect, it } from "vitest";
import { watchModels } from "./watch-models.ts";

it("hands the model texts as one list, so that it takes none of them for a query to remember", async () => {
  const asked: (readonly string[])[] = [];
  const fake = createFakeEmbedder();
  const embedder: Embedder = {
    ...fake,
    embed: (texts, signal) => {
      asked.push(texts);
      return fake.embed(texts, signal);
    },
  };
  const models = watchModels(() => Promise.resolve(embedder));
  const { signal } = new AbortController();
  await expect(models.embedTexts(["one", "two"], signal)).rejects.toMatchObject({
    code: "unavailable",
    retryable: true,
  });
  await models.settle();
  expect(await models.embedTexts(["one", "two"], signal)).toEqual(await fake.embed(["one", "two"]));
  expect(asked).toEqual([["one", "two"]]);
  await models.close();
});
