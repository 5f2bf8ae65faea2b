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

it.each([
  ["Acme has 1.250 employees. In 2024 Acme, founded in 2019, moved.", { employees: 1250, foundedYear: 2019 }],
  ["Acme employs about 60 people.", { employees: 60, foundedYear: null }],
])("takes a company's fields from “%s”", (text, expected) => {
  const pages = [page("https://acme.example/", { text })];
  const [acme] = findEntities({ pages, entity: { type: "company" }, query: "" });
  expect(acme?.properties).toMatchObject({ company: expected });
});

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
  expect(findPlaces("in the United Kingdom")).toMatchObject([{ name: "United Kingdom", start: 7, end: 21 }]);
  expect(findPlaces("From New York City to the United States, not Yorkshire.").map(({ name }) => name)).toEqual([
    "New York City",
    "United States",
  ]);
});

it("places a company that moved where it moved to", () => {
  const text = "Leedsmill moved its head office from Munich to Leeds in 2022.";
  const pages = [{ url: "https://leedsmill.com/", title: "Leedsmill", text, snapshotId: "s1" }];
  const [company] = findEntities({ pages, entity: { type: "company" }, query: "mills" });
  expect(company?.properties).toMatchObject({ company: { location: "Leeds" } });
});

it("names a company as its pages write it where its address cannot", () => {
  const named = (host: string, text: string) =>
    findEntities({
      pages: [page(`https://${host}/`, { title: "Start", text })],
      entity: { type: "company" },
      query: "x",
    })[0]?.name;
  expect(named("ampere-maison.fr", "Ampère Maison fabrique des batteries.")).toBe("Ampère Maison");
  expect(named("muellertechnik.de", "Die Müller Technik GmbH baut Pumpen.")).toBe("Müller Technik GmbH");
  expect(named("blueharbor.com", "Blue Harbor sells boats.")).toBe("Blue Harbor");
});

it("takes no profile of a person on a network for a company", () => {
  const pages = [
    page("https://www.linkedin.com/in/jane-doe", { title: "Jane Doe", text: "Jane Doe\n\nHead of Sales at Acme" }),
  ];
  expect(findEntities({ pages, entity: { type: "company" }, query: "x" })).toEqual([]);
  expect(findEntities({ pages, entity: { type: "person" }, query: "x" })).toHaveLength(1);
});

it("knows people by their names without honorifics", () => {
  const pages = [
    page("https://uni.example/roth", { title: "Prof. Dr. Hanna Roth", text: "Hanna Roth studies robots." }),
  ];
  const [person] = findEntities({ pages, entity: { type: "person" }, query: "x" });
  expect(person).toMatchObject({ name: "Hanna Roth", aliases: ["Prof. Dr. Hanna Roth", "Roth"] });
});

it("lists as articles what sites publish, not what they have about themselves", () => {
  const graph = (type: string) => [{ format: "open-graph", item: { "og:type": type } }];
  const pages = [
    ...["", "about", "en/contact", "pricing", "company/team", "services", "products/lamp-one", "en/"].map((path) =>
      page(`https://acme.example/${path}`, { title: path, text: "Lamps.", structured: graph("website") }),
    ),
    page("https://wordpress.example/about-us/", { title: "About", text: "Lamps.", structured: graph("article") }),
  ];
  const articles = [
    page("https://acme.example/blog/why-lamps-last", { title: "Why", text: "Lamps." }),
    page("https://paper.example/lamps-on-the-rise", { title: "Rise", text: "Lamps." }),
    page("https://paper.example/rise", { title: "Rise", text: "Lamps." }),
    page("https://paper.example/lamps", { title: "Lamps", text: "Lamps.", publishedDate: "2024-01-02" }),
    page("https://essay.example/", { title: "Essay", text: "Lamps.", structured: graph("article") }),
    page("https://paper.example/news", {
      text: "x",
      structured: [{ format: "json-ld", item: { "@type": "NewsArticle" } }],
    }),
    page("https://arxiv.org/abs/2401.00001", { title: "On lamps", text: "Lamps." }),
  ];
  for (const type of ["article", "research_paper"] as const)
    expect(findEntities({ pages: [...pages, ...articles], entity: { type }, query: "" }).map(({ url }) => url)).toEqual(
      articles.map(({ url }) => url),
    );
  expect(findEntities({ pages, entity: { type: "custom", description: "x" }, query: "" })).toHaveLength(pages.length);
});

it("takes no site of people's profiles for a company", () => {
  const profile = (path: string, title: string, text: string) =>
    page(`https://people.example/${path}`, { title, text });
  const people = [
    profile("abel", "Kim Abel", "Kim Abel is a nurse in Halifax. She holds a PhD."),
    profile("osei", "Linda Osei", "Linda Osei\n\nI teach physics."),
  ];
  const companies = (pages: readonly PageText[]) => findEntities({ pages, entity: { type: "company" }, query: "x" });
  expect(companies(people)).toEqual([]);
  expect(findEntities({ pages: people, entity: { type: "person" }, query: "x" })).toHaveLength(2);
  expect(companies([...people, profile("", "People", "People rents out nurses.")])).toHaveLength(1);
  expect(companies([profile("team/abel", "Kim Abel", "Kim Abel is head of sales at People.")])).toHaveLength(1);
  expect(companies([profile("lamps", "Heat Pumps", "Heat pumps for every house.")])).toHaveLength(1);
});
