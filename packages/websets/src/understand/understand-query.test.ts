import type { Llm } from "@quarry/models";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { understandQuery } from "./understand-query.ts";
import type { UnderstoodWebset, WebsetQuery } from "./understood-query.ts";

const never = new AbortController().signal;

async function understand(query: string, more: Partial<WebsetQuery> = {}): Promise<UnderstoodWebset> {
  const outcome = await understandQuery({ query, signal: never, ...more });
  if (outcome.kind !== "understood") throw new Error(outcome.reason);
  return outcome;
}

verifies("websets:search:entity-detected", "detects what a query lists", async () => {
  const queries = [
    "German AI startups",
    "Software engineers in Berlin",
    "news articles on climate policy",
    "research papers about lamps",
    "podcasts about woodworking",
  ];
  const types = await Promise.all(queries.map(async (query) => (await understand(query)).entity.type));
  expect(types).toEqual(["company", "person", "article", "research_paper", "custom"]);
});

verifies("websets:search:criteria-detected", "derives one to five criteria in the query's words", async () => {
  const descriptions = async (query: string): Promise<readonly string[]> =>
    (await understand(query)).criteria.map(({ description }) => description);
  expect(await descriptions("German AI startups founded after 2018 with more than 50 employees")).toEqual([
    "works in AI",
    "headquartered in Germany",
    "founded after 2018",
    "has more than 50 employees",
  ]);
  expect(await descriptions("Companies that make heat pumps in Europe and raised over $10M")).toEqual([
    "makes heat pumps",
    "based in Europe",
    "raised over $10M",
  ]);
  const long = await descriptions(
    `companies ${Array.from({ length: 9 }, (_, index) => `that have ${index + 2} lamps`).join(" ")}`,
  );
  expect(long.length).toBeLessThanOrEqual(5);
});

verifies("websets:find:several-formulations", "asks in several ways, the query's own words first", async () => {
  const { formulations } = await understand("companies that make heat pumps");
  expect(formulations[0]).toBe("companies that make heat pumps");
  expect(formulations.length).toBeGreaterThanOrEqual(3);
  expect(new Set(formulations).size).toBe(formulations.length);
});

it("keeps what is given, suggests columns and names the sites", async () => {
  const criteria = [{ description: "is old" }];
  const understood = await understand("shops of https://acme.example/list and globex.com", {
    entity: { type: "custom", description: "shops" },
    criteria,
  });
  expect(understood).toMatchObject({
    entity: { type: "custom", description: "shops" },
    criteria,
    namedSites: ["https://acme.example/list", "https://globex.com/"],
  });
  expect(understood.enrichments.length).toBeGreaterThan(0);
});

it("says when there is nothing to understand", async () => {
  expect(await understandQuery({ query: " ?! 12 ", signal: never })).toMatchObject({ kind: "not-understood" });
});

it("takes a model's proposal, and goes on without it when it fails", async () => {
  const proposal = {
    entityType: "custom",
    entityDescription: "lamp shops",
    criteria: ["sells lamps"],
    searchQueries: ["lamp shop"],
    enrichments: [{ description: "Street", format: "text" }],
  };
  expect(await understand("where to buy a lamp", { llm: scripted(JSON.stringify(proposal)) })).toMatchObject({
    entity: { type: "custom", description: "lamp shops" },
    criteria: [{ description: "sells lamps" }],
    enrichments: [{ description: "Street", format: "text" }],
    usage: { inputTokens: 7, outputTokens: 5 },
  });
  expect((await understand("German companies", { llm: scripted("no idea") })).entity).toEqual({ type: "company" });
});

function scripted(text: string): Llm {
  return {
    model: "scripted",
    complete: () => Promise.resolve({ text, finish: "stop", usage: { inputTokens: 7, outputTokens: 5 } }),
    stream: () => {
      throw new Error("not streamed");
    },
  };
}
