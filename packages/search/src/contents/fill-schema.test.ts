import { describe, expect, it } from "vitest";
import type { ContentPage } from "./content-page.ts";
import { fillSchema } from "./fill-schema.ts";
import { createSentenceScorer } from "./sentence-scorer.ts";
import { makeContentPage } from "./testing-content-page.ts";

const scoreSentences = createSentenceScorer(() => ({ pageCount: 0, averageLength: 0, pagesWith: () => 0 }));

/** What a schema of one field answers. */
function fill(field: Readonly<Record<string, object>>, query: string, page: Partial<ContentPage>): unknown {
  const [name = ""] = Object.keys(field);
  const properties = { [name]: { type: "string", ...field[name] } };
  const { content } = fillSchema(scoreSentences, {
    schema: { type: "object", properties, required: [name] },
    query,
    pages: [makeContentPage(page)],
  });
  return content[name];
}

describe("a field and its description", () => {
  const paris = "Paris is the capital of France.";
  const acme = "Acme Corp has its headquarters in Leeds.";
  it.each([
    ["answer", "The answer to the user's question", "What is the capital of France?", paris],
    ["response", "A concise reply to the question", "What is the capital of France?", paris],
    ["ceo", "Full name of the chief executive officer", "Who is the CEO of Apple?", "Tim Cook is the CEO of Apple."],
    ["leader", "CEO of Apple", "Who is the CEO of Apple?", "Tim Cook is the CEO of Apple."],
    ["headquarters", "City where the company is headquartered", "Acme Corp", acme],
    ["hq", "Headquarters (HQ)", "Acme Corp", "Acme's HQ is in Leeds, says Acme Corp."],
    ["hq", "Headquarters (HQ)", "Acme Corp", acme],
  ])("%s: %s is answered", (name, description, query, text) => {
    expect(fill({ [name]: { description } }, query, { text })).toBe(text);
  });

  it.each([
    [
      "founder",
      "",
      "Von wem wurde die Siemens AG gegründet?",
      "Die Siemens AG wurde von Werner von Siemens gegründet.",
    ],
    ["capital", "", "Was ist die Hauptstadt von Frankreich?", "Paris ist die Hauptstadt von Frankreich."],
    ["capital", "The capital of the country", "Frankreich", "Paris ist die Hauptstadt von Frankreich."],
    ["phone_number", "", "Firma Müller Hamburg", "Die Firma Müller in Hamburg ist unter 040 12345 zu erreichen."],
  ])("%s: %s is answered from a page in another language", (name, description, query, text) => {
    expect(fill({ [name]: { description } }, query, { text, language: "de" })).toBe(text);
    expect(fill({ [name]: { description } }, query, { text, language: null })).toBe(text);
  });

  it.each([
    ["phone_number", "", "en", acme],
    ["phone_number", "The company's contact number", "en", "Acme Corp is a company in Leeds."],
    ["phone_number", "Phone number of Acme Corp", "en", acme],
    ["phone_number", "", "de", "Die Acme Corp hat ihren Sitz in Leeds."],
    ["mayor_name", "Name of the mayor of the city", "en", acme],
  ])("%s: %s stays open on a page (%s) that says %j", (name, description, language, text) => {
    expect(fill({ [name]: { description } }, "Acme Corp", { text, language })).toBeNull();
  });

  it("of a figure says whose, where the name does not", () => {
    const text = "Acme Corp moved to Leeds in 2010.";
    const field = (description: string) => ({ year: { type: "integer", description } });
    expect(fill(field("the year the firm was founded"), "Acme Corp", { text })).toBeNull();
    expect(fill(field("the year it moved"), "Acme Corp", { text })).toBe(2010);
  });

  it("is read at its beginning", () => {
    const asked: string[] = [];
    fillSchema(
      (query) => {
        asked.push(query);
        return [];
      },
      {
        schema: { properties: { motto: { type: "string", description: "word ".repeat(500) } } },
        query: "Acme",
        pages: [makeContentPage({ text: acme })],
      },
    );
    expect(asked.map((question) => question.split(" ").length)).toEqual([62]);
  });
});

describe("an address", () => {
  const text = "Acme Corp makes lamps in Leeds. Its website is https://acme.com/.";
  const url = "https://wiki.example/acme";
  it.each([
    ["website", { format: "uri" }, "https://acme.com/"],
    ["website", {}, "https://acme.com/"],
    ["official_site", { format: "url" }, "https://acme.com/"],
    ["source", { format: "uri" }, url],
    ["sourceUrl", {}, url],
    ["url", { format: "uri" }, url],
  ])("%s %j is one that the page names, or the page's own where that is asked for", (name, schema, found) =>
    expect(fill({ [name]: schema }, "Acme Corp", { url, text })).toBe(found),
  );

  it.each(["Acme Corp", "lamps"])("is the page's own where it names none, asked for %s", (query) =>
    expect(fill({ website: {} }, query, { url, text: "Acme Corp is here." })).toBe(url),
  );
});
