import { describe, expect, it } from "vitest";
import { fillByRules } from "./fill-cell.ts";
import { askCompany, GARDENLY, pageOf } from "./testing-cell.ts";

const NEWS = { url: "https://news.example/gardenly", title: "Gardenly raises money" };

describe("a page of somebody else", () => {
  it.each([
    ["email", "Gardenly raised $2 million. Write to tips@news.example"],
    ["phone", "Gardenly raised $2 million. Call the newsroom: +1 212 555 2368"],
    ["url", "Gardenly raised $2 million. Follow us: https://www.linkedin.com/company/the-news"],
  ] as const)("gives no %s of its own", (format, text) => {
    const description = format === "url" ? "LinkedIn page" : format;
    expect(askCompany({ description, format }, pageOf(text, NEWS))).toBeNull();
  });

  it("gives those that are the entity's by their site or name", () => {
    const text = "Write to hello@gardenly.example. See https://www.linkedin.com/company/gardenly-gmbh";
    expect(askCompany({ description: "email", format: "email" }, pageOf(text, NEWS))).toEqual([
      "hello@gardenly.example",
    ]);
    expect(askCompany({ description: "LinkedIn", format: "url" }, pageOf(text, NEWS))).toEqual([
      "https://www.linkedin.com/company/gardenly-gmbh",
    ]);
  });

  it("links to nothing of the entity's", () => {
    const wish = { description: "Pricing page", format: "url" as const };
    const news = { ...NEWS, links: [{ url: "https://news.example/pricing", text: "Pricing" }] };
    expect(askCompany(wish, pageOf("Gardenly raised money. Pricing", news))).toBeNull();
    const own = { links: [{ url: "/pricing", text: "Pricing" }] };
    expect(askCompany(wish, pageOf("See our Pricing", own))).toEqual(["https://gardenly.example/pricing"]);
  });

  it("comes first and changes nothing", () => {
    const news = pageOf("Follow us: https://www.linkedin.com/company/the-news", NEWS);
    const own = pageOf(
      "We work with https://www.linkedin.com/company/globex\n\nhttps://www.linkedin.com/company/gardenly",
    );
    const enrichment = { description: "LinkedIn page", format: "url" as const };
    for (const pages of [
      [news, own],
      [own, news],
    ])
      expect(fillByRules({ entity: GARDENLY, enrichment, pages }).result).toEqual([
        "https://www.linkedin.com/company/gardenly",
      ]);
  });

  it("may be its entry in a directory", () => {
    const entry = { url: "https://www.yelp.com/biz/gardenly", title: "Gardenly | Yelp" };
    expect(askCompany({ description: "Phone", format: "phone" }, pageOf("Phone: +1 212 555 2368", entry))).toEqual([
      "+12125552368",
    ]);
  });
});

describe("structured data", () => {
  const dataOf = (item: object) => ({ structured: [{ format: "json-ld", item }] });

  it("of a fair gives no seat", () => {
    const address = { "@type": "PostalAddress", addressLocality: "Leipzig" };
    const event = { "@type": "Event", location: { "@type": "Place", address } };
    const page = pageOf("Gardenly is at a fair in Leipzig next week.", dataOf(event));
    expect(askCompany({ description: "City of the headquarters", format: "text" }, page)).toBeNull();
    const own = { "@type": "Organization", name: "Gardenly", address };
    expect(askCompany({ description: "City", format: "text" }, pageOf("Leipzig is home.", dataOf(own)))).toEqual([
      "Leipzig",
    ]);
  });

  it("is not shown by a part of a word, or by another word", () => {
    const own = { "@type": "Organization", name: "Gardenly", industry: "IT" };
    const page = pageOf("Gardenly is smart with tools, and shows it.", dataOf(own));
    expect(askCompany({ description: "Industry", format: "text" }, page)).toBeNull();
    expect(askCompany({ description: "Industry", format: "text" }, pageOf("We do IT.", dataOf(own)))).toEqual(["IT"]);
  });

  it("has its rating shown where the text rates, and only the entity's", () => {
    const rating = { "@type": "AggregateRating", ratingValue: 4.5 };
    const own = dataOf({ "@type": "Organization", name: "Gardenly", aggregateRating: rating });
    const wish = { description: "Rating", format: "number" as const };
    expect(askCompany(wish, pageOf("Our garden is 4.5 km away.", own))).toBeNull();
    expect(askCompany(wish, pageOf("Our garden is 4.5 km away.\n\nRated 4.5 of 5.", own))).toEqual(["4.5"]);
    const rake = dataOf({ "@type": "Product", name: "Rake", aggregateRating: rating });
    expect(askCompany(wish, pageOf("Globex rake, 4.5 stars.", rake))).toBeNull();
  });
});

describe("a price", () => {
  it("is not the first sum of a company's page", () => {
    const text = "Gardenly raised $12 million in 2023.\n\nThe starter plan costs $9 per month.";
    expect(askCompany({ description: "Price of the starter plan", format: "number" }, pageOf(text))).toEqual(["9"]);
  });
});
