import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import type { PageText } from "../evidence.ts";
import { findEntities, mergeEntities } from "./find-entities.ts";
import { findPlaces, liesIn, readPlace } from "./places.ts";

function page(url: string, facts: Partial<PageText> = {}): PageText {
  return { url, title: null, text: "", snapshotId: "s1", ...facts };
}

const organization = {
  "@type": "Organization",
  name: "Acme GmbH",
  url: "https://acme.example/",
  foundingDate: "2016-03-05",
  numberOfEmployees: { "@type": "QuantitativeValue", value: 120 },
  address: { "@type": "PostalAddress", addressLocality: "Munich", addressCountry: "DE" },
  logo: "https://acme.example/logo.png",
  description: "Lamps that last.",
};

verifies("websets:find:entities-merged", "joins pages of one company by domain, name and structured data", () => {
  const pages = [
    page("https://blog.acme.example/post", { title: "News | Acme", text: "Acme makes lamps." }),
    page("https://www.linkedin.com/company/acme", { title: "Acme | LinkedIn", text: "Acme. Lamps." }),
    page("https://acme.example/about", { structured: [{ format: "json-ld", item: organization }] }),
    page("https://globex.example/", { title: "Globex", text: "Globex makes chairs." }),
    page("https://www.crunchbase.com/organization/acme-2", {
      title: "Acme Bread - Crunchbase",
      structured: [
        { format: "json-ld", item: { "@type": "Organization", name: "Acme", url: "https://acme-bread.example" } },
      ],
    }),
  ];
  const found = findEntities({ pages, entity: { type: "company" }, query: "lamps" });
  expect(found.map(({ name, url, pages: own }) => ({ name, url, pages: own.length }))).toEqual([
    { name: "Acme GmbH", url: "https://acme.example/", pages: 3 },
    { name: "Globex", url: "https://globex.example/", pages: 1 },
    { name: "Acme", url: "https://acme-bread.example/", pages: 1 },
  ]);
});

verifies(
  ["websets:item:company", "websets:item:nullable-present"],
  "gives a company's fields, null where nothing is known",
  () => {
    const [acme] = findEntities({
      pages: [page("https://acme.example/", { structured: [{ format: "json-ld", item: organization }] })],
      entity: { type: "company" },
      query: "",
    });
    expect(acme?.properties).toEqual({
      type: "company",
      url: "https://acme.example/",
      description: "Lamps that last.",
      content: "",
      company: {
        name: "Acme GmbH",
        location: "Munich, Germany",
        employees: 120,
        industry: null,
        about: "Lamps that last.",
        logoUrl: "https://acme.example/logo.png",
        foundedYear: 2016,
        headquarters: {
          address: null,
          city: "Munich",
          state: null,
          postalCode: null,
          country: "Germany",
          countryCode: "DE",
        },
        financials: null,
        webTraffic: null,
      },
    });
  },
);

verifies("websets:item:person", "gives a person's fields and no content", () => {
  const [jane] = findEntities({
    pages: [
      page("https://www.linkedin.com/in/jane", {
        title: "Jane Doe - Chief Engineer - Acme | LinkedIn",
        text: "Jane Doe",
      }),
    ],
    entity: { type: "person" },
    query: "",
  });
  expect(jane?.properties).toMatchObject({
    type: "person",
    person: { name: "Jane Doe", position: "Chief Engineer", company: { name: "Acme" }, location: null },
  });
  expect(jane?.properties).not.toHaveProperty("content");
});

verifies(
  ["websets:item:article", "websets:item:research-paper", "websets:item:custom", "websets:entity:types"],
  "gives author, date and title of texts",
  () => {
    const pages = [
      page("https://arxiv.org/abs/2401.00001", {
        title: "On the lamps of the ancients",
        author: "A. Author",
        publishedDate: "2024-01-02",
        text: "Lamps.",
      }),
    ];
    const fields = { author: "A. Author", publishedAt: "2024-01-02", title: "On the lamps of the ancients" };
    const propertiesOf = (entity: Parameters<typeof findEntities>[0]["entity"]): unknown =>
      findEntities({ pages, entity, query: "" })[0]?.properties;
    expect(propertiesOf({ type: "article" })).toMatchObject({ type: "article", article: fields, content: "Lamps." });
    expect(propertiesOf({ type: "research_paper" })).toMatchObject({ type: "research_paper", researchPaper: fields });
    expect(propertiesOf({ type: "custom", description: "lamps" })).toMatchObject({ type: "custom", custom: fields });
  },
);

it("knows a paper by its number wherever it stands, and merges findings of two searches", () => {
  const find = (url: string): ReturnType<typeof findEntities> =>
    findEntities({
      pages: [page(url, { title: "On the lamps of the ancients", text: "Lamps." })],
      entity: { type: "research_paper" },
      query: "",
    });
  const merged = mergeEntities(find("https://arxiv.org/abs/2401.00001"), find("https://arxiv.org/pdf/2401.00001"));
  expect(merged.map(({ key, pages }) => [key, pages.length])).toEqual([["research_paper:arxiv:2401.00001", 2]]);
});

it("leaves a newspaper out of the companies it writes about", () => {
  const article = page("https://paper.example/a", {
    title: "Lamps",
    text: "Acme sells lamps.",
    structured: [{ format: "json-ld", item: { "@type": "NewsArticle" } }],
  });
  expect(findEntities({ pages: [article], entity: { type: "company" }, query: "" })).toEqual([]);
});

it.each([
  ["Munich", "Germany", "yes"],
  ["Munich", "Bavaria", "yes"],
  ["Munich", "Europe", "yes"],
  ["Munich", "France", "no"],
  ["Germany", "Munich", "unknown"],
  ["Texas", "United States", "yes"],
  ["Austin", "Texas", "yes"],
  ["Toronto", "the US", "no"],
] as const)("knows whether %s lies in %s", (inner, outer, expected) => {
  const place = readPlace(inner);
  expect(place === undefined ? undefined : liesIn(place, outer)).toBe(expected);
});

it("finds the longest names of places", () => {
  expect(findPlaces("From New York City to the United States, not Yorkshire.").map(({ name }) => name)).toEqual([
    "New York City",
    "United States",
  ]);
});
