import type { Llm } from "@quarry/models";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { findEntities } from "../entities/find-entities.ts";
import { checkEvidence, type PageText } from "../evidence.ts";
import type { CellValue, EnrichmentWish } from "./cell.ts";
import { fillCell } from "./fill-cell.ts";

const never = new AbortController().signal;
const HOME: PageText = {
  url: "https://acme.example/",
  title: "Acme",
  text: [
    "Acme makes lamps.",
    "Acme was founded on 5 March 2016 by Jane Doe and Ravi Patel. Globex, our supplier, was founded in 1901.",
    "Today 1,250 people work at Acme. Our customer Globex has 90,000 employees.",
    "Acme has raised $12.5 million to date.",
    "Our CEO is Jane Doe.",
    "Industry: Lighting",
    "Contact: office [at] acme [dot] example.com, sales@acme.example.com",
    "Tel: +49 89 3609 0000",
    "Follow us at https://www.linkedin.com/company/acme.",
    "We sell on subscription and to enterprises.",
  ].join("\n\n"),
  snapshotId: "s1",
};
const [acme] = findEntities({ pages: [HOME], entity: { type: "company" }, query: "lamps" });

async function fill(enrichment: EnrichmentWish, pages: readonly PageText[] = [HOME], llm?: Llm): Promise<CellValue> {
  if (acme === undefined) throw new Error("the company is there");
  const cell = await fillCell({ entity: acme, enrichment, pages, llm, signal: never });
  expect(cell.reasoning).not.toBe("");
  expect(cell.references.every((one) => pages.some((page) => checkEvidence(page, one)))).toBe(true);
  expect(cell.references.length > 0).toBe(cell.result !== null);
  return cell;
}

verifies(
  [
    "websets:extractors:without-model",
    "websets:enrichment:formats",
    "websets:cell:result-strings",
    "websets:cell:reasoning-and-references",
    "websets:cell:reference-quote-in-snapshot",
  ],
  "fills every format without a model, each value with a quote of the page",
  async () => {
    const results = await Promise.all(
      (
        [
          { description: "Name of the CEO", format: "text" },
          { description: "Date the company was founded", format: "date" },
          { description: "Number of employees", format: "number" },
          { description: "Industry", format: "options", options: [{ label: "Lighting" }, { label: "Mining" }] },
          { description: "Sales email", format: "email" },
          { description: "Phone number", format: "phone" },
          { description: "LinkedIn page", format: "url" },
        ] satisfies EnrichmentWish[]
      ).map((wish) => fill(wish)),
    );
    expect(results.map(({ result }) => result)).toEqual([
      ["Jane Doe"],
      ["2016-03-05"],
      ["1250"],
      ["Lighting"],
      ["sales@acme.example.com"],
      ["+498936090000"],
      ["https://www.linkedin.com/company/acme"],
    ]);
  },
);

verifies("websets:cell:number", "writes numbers in plain digits", async () => {
  expect((await fill({ description: "Total funding raised", format: "number" })).result).toEqual(["12500000"]);
  const page = { ...HOME, text: "Acme has twenty-five stores. Acme employs 1.2k people." };
  expect((await fill({ description: "How many stores?", format: "number" }, [page])).result).toEqual(["25"]);
  expect((await fill({ description: "number of employees", format: "number" }, [page])).result).toEqual(["1200"]);
});

verifies("websets:cell:date", "writes dates as ISO 8601, no more exact than the page", async () => {
  const founded = { description: "When was the company founded?", format: "date" } as const;
  expect((await fill(founded, [{ ...HOME, text: "Acme was founded in 2016." }])).result).toEqual(["2016"]);
  expect((await fill(founded, [{ ...HOME, text: "Founded: March 2016" }])).result).toEqual(["2016-03"]);
  const article = { ...HOME, publishedDate: "2024-02-03T10:00:00Z" };
  expect((await fill({ description: "Publication date", format: "date" }, [article])).result).toEqual(["2024-02-03"]);
});

const SPEECH: PageText = {
  url: "https://speeches.example/1863",
  title: "Address of Abraham Lincoln, 1863",
  text: "Fellow-Citizens: Another year of health has passed.\n\nIn 1808 the trade in slaves was ended.",
  snapshotId: "s2",
  publishedDate: "1863-12-08T00:00:00.000Z",
};
const LATELY = "2015-06-01T00:00:00.000Z";

it.each<[string, PageText, readonly string[] | null]>([
  ["the page's date in its title's year", SPEECH, ["1863-12-08"]],
  ["no date of the web for an old text", { ...SPEECH, publishedDate: LATELY }, null],
  [
    "the line that dates it",
    { ...SPEECH, publishedDate: LATELY, text: `Posted 2 May 2015\n\nRochester, July 5, 1852\n\n${SPEECH.text}` },
    ["1852-07-05"],
  ],
  [
    "the sentence that tells it",
    { ...SPEECH, title: "A speech", text: `${SPEECH.text}\n\nThis speech was delivered on 5 July 1852.` },
    ["1852-07-05"],
  ],
  ["nothing where no page is dated", { ...SPEECH, publishedDate: null }, null],
])("says when a speech was given by %s", async (_, page, expected) => {
  const [speech] = findEntities({ pages: [page], entity: { type: "article" }, query: "speeches about slavery" });
  if (speech === undefined) throw new Error("the speech is there");
  const enrichment = { description: "when was the speech given", format: "date" } as const;
  const cell = await fillCell({ entity: speech, enrichment, pages: [page], signal: never });
  expect(cell.result).toEqual(expected);
  expect(cell.references.map((one) => checkEvidence(page, one))).toEqual(expected === null ? [] : [true]);
});

it.each<[string, PageText, readonly string[] | null]>([
  ["the page's author in its title", { ...SPEECH, author: "Abraham Lincoln" }, ["Abraham Lincoln"]],
  [
    "the page's author in its text",
    { ...SPEECH, title: "A speech", author: "Abraham Lincoln", text: `By ABRAHAM LINCOLN\n\n${SPEECH.text}` },
    ["Abraham Lincoln"],
  ],
  ["a label", { ...SPEECH, text: `Given by: Frederick Douglass\n\n${SPEECH.text}` }, ["Frederick Douglass"]],
  [
    "nothing where sentences tell of another",
    {
      ...SPEECH,
      title: "A speech",
      author: "webmaster",
      text: `${SPEECH.text} Henry Clay gave a speech here in 1839.`,
    },
    null,
  ],
])("says who gave a speech by %s", async (_, page, expected) => {
  const [speech] = findEntities({ pages: [page], entity: { type: "article" }, query: "speeches about slavery" });
  if (speech === undefined) throw new Error("the speech is there");
  const enrichment = { description: "who gave the speech", format: "text" } as const;
  const cell = await fillCell({ entity: speech, enrichment, pages: [page], signal: never });
  expect(cell.result).toEqual(expected);
  expect(cell.references.map((one) => checkEvidence(page, one))).toEqual(expected === null ? [] : [true]);
});

verifies("websets:cell:phone", "writes phone numbers as E.164 by the entity's country", async () => {
  const german = { ...HOME, url: "https://acme.de/", text: "Telefon: 089 36090000" };
  const [entity] = findEntities({ pages: [german], entity: { type: "company" }, query: "" });
  if (entity === undefined) throw new Error("the company is there");
  const cell = await fillCell({
    entity,
    enrichment: { description: "Phone", format: "phone" },
    pages: [german],
    signal: never,
  });
  expect(cell.result).toEqual(["+498936090000"]);
});

verifies("websets:cell:email", "gives one address, also one that hides", async () => {
  const page = { ...HOME, text: "Write to jane (at) acme (dot) com." };
  expect((await fill({ description: "Contact email", format: "email" }, [page])).result).toEqual(["jane@acme.com"]);
});

verifies("websets:cell:url", "makes addresses absolute", async () => {
  expect((await fill({ description: "Company website", format: "url" })).result).toEqual(["https://acme.example/"]);
  const page = { ...HOME, text: "See our careers page", links: [{ url: "/jobs", text: "careers page" }] };
  expect((await fill({ description: "Careers page URL", format: "url" }, [page])).result).toEqual([
    "https://acme.example/jobs",
  ]);
});

verifies("websets:cell:options", "gives labels alone: by words, by range, by yes and no", async () => {
  const size = {
    description: "Number of employees",
    format: "options",
    options: [{ label: "1-50" }, { label: "51-500" }, { label: "500+" }],
  } as const;
  expect((await fill(size)).result).toEqual(["500+"]);
  const makes = {
    description: "Does the company make lamps?",
    format: "options",
    options: [{ label: "Yes" }, { label: "No" }],
  } as const;
  expect((await fill(makes)).result).toEqual(["Yes"]);
  const model = {
    description: "Which sales models?",
    format: "options",
    options: [{ label: "Subscription" }, { label: "Franchise" }],
  } as const;
  expect((await fill(model)).result).toEqual(["Subscription"]);
});

verifies("websets:cell:null-when-unknown", "leaves empty what no page tells, or tells of another", async () => {
  const page = { ...HOME, text: "Acme makes lamps. Globex has 90,000 employees. Acme used to employ 40 people." };
  for (const wish of [
    { description: "Number of employees", format: "number" },
    { description: "Founding date", format: "date" },
    { description: "Email", format: "email" },
    { description: "Phone", format: "phone" },
    { description: "LinkedIn URL", format: "url" },
    { description: "Number of employees laid off", format: "number" },
    { description: "Colour", format: "options", options: [{ label: "Red" }] },
  ] satisfies EnrichmentWish[]) {
    expect(await fill(wish, [page])).toMatchObject({ result: null, references: [] });
  }
});

it("reads the price of a product from structured data", async () => {
  const item = {
    "@type": "Product",
    name: "Lamp",
    sku: "L-77",
    offers: { "@type": "Offer", price: "1299.00", priceCurrency: "EUR" },
  };
  const page = {
    ...HOME,
    title: "Lamp",
    text: "Lamp\n\nNow 1.299,00 € only\n\nSKU: L-77",
    structured: [{ format: "json-ld", item }],
  };
  expect(await fill({ description: "Price", format: "number" }, [page])).toMatchObject({
    result: ["1299"],
    references: [{ snippet: "Now 1.299,00 € only" }],
  });
  expect((await fill({ description: "SKU", format: "text" }, [page])).result).toEqual(["L-77"]);
});

it("keeps of a model's values those its quote carries", async () => {
  const wish = { description: "Number of employees", format: "number" } as const;
  const right = await fill(
    wish,
    [HOME],
    scripted({ values: ["1250"], quote: "Today 1,250 people work at Acme", reasoning: "Stated." }),
  );
  expect(right).toMatchObject({
    result: ["1250"],
    references: [{ snippet: "Today 1,250 people work at Acme" }],
    usage: { inputTokens: 7 },
  });
  const invented = await fill(
    wish,
    [HOME],
    scripted({ values: ["7000"], quote: "Today 1,250 people work at Acme", reasoning: "Stated." }),
  );
  expect(invented).toMatchObject({ result: ["1250"], usage: { inputTokens: 7 } });
});

it.each<[string, EnrichmentWish, string, string, readonly string[] | null]>([
  [
    "its words",
    optionsOf("Which buyers?", "Enterprise", "Consumer"),
    "Enterprise",
    "and to enterprises",
    ["Enterprise"],
  ],
  ["a number in its range", optionsOf("Number of employees", "1-50", "500+"), "500+", "1,250 people work", ["500+"]],
  ["a yes", optionsOf("Does the company make lamps?", "Yes", "No"), "Yes", "Acme makes lamps.", ["Yes"]],
  ["no word of it", optionsOf("Which buyers?", "Government", "Consumer"), "Government", "Acme", null],
  ["another number", optionsOf("Number of employees", "1-50", "500+"), "1-50", "1,250 people work at Acme", ["500+"]],
  ["nothing of a no", optionsOf("Does the company make lamps?", "Yes", "No"), "No", "Our CEO", ["Yes"]],
])("keeps of a model's options those its quote carries: %s", async (_, wish, value, quote, expected) => {
  const cell = await fill(wish, [HOME], scripted({ values: [value], quote, reasoning: "Stated." }));
  expect(cell.result).toEqual(expected);
  expect(cell.reasoning.startsWith("Stated.")).toBe(expected?.[0] === value);
});

function optionsOf(description: string, ...labels: readonly string[]): EnrichmentWish {
  return { description, format: "options", options: labels.map((label) => ({ label })) };
}

/** A model that always says the same. */
function scripted(reply: unknown): Llm {
  return {
    model: "scripted",
    complete: () =>
      Promise.resolve({ text: JSON.stringify(reply), finish: "stop", usage: { inputTokens: 7, outputTokens: 5 } }),
    stream: () => {
      throw new Error("not streamed");
    },
  };
}

it("reads numbers that stand above what they count", async () => {
  const tiles = { ...HOME, text: "Acme in numbers\n\n1,250\n\nemployees\n\n17\n\ncountries" };
  const asked = { description: "Number of employees", format: "number" } as const;
  expect(await fill(asked, [tiles])).toMatchObject({ result: ["1250"] });
  expect(await fill({ ...asked, description: "Number of countries" }, [tiles])).toMatchObject({ result: ["17"] });
});

it.each([
  ["Total funding raised", "Acme raised $12 million in 2023, bringing its total to $20 million.", "20000000"],
  ["Total funding raised", "Acme raised $4 million and has processed over $900 million in total.", "4000000"],
  ["Annual revenue", "Revenue (2024): USD 1.2bn", "1200000000"],
  ["Number of employees", "Mitarbeiter / Employees: 1.250", "1250"],
  ["Number of employees", "Acme laid off 60 employees. Acme now has 140 employees.", "140"],
  ["Number of employees laid off", "Acme laid off 60 employees. Acme now has 140 employees.", "60"],
  ["Number of employees laid off", "Acme now has 140 employees. 60 employees were laid off in May.", "60"],
  ["Number of employees hired", "Acme hired 20 employees. Acme laid off 60 employees.", "20"],
  ["Number of people using the product", "Today 5,000 people use Acme.", "5000"],
])("takes the number that is meant for “%s”", async (description, text, expected) => {
  expect((await fill({ description, format: "number" }, [{ ...HOME, text }])).result).toEqual([expected]);
});

it("knows a label with a hyphen again", async () => {
  const options = [{ label: "Subscription" }, { label: "Usage-based" }];
  const pages = [{ ...HOME, text: "Acme makes lamps.\n\nPricing: usage-based" }];
  expect((await fill({ description: "Pricing model", format: "options", options }, pages)).result).toEqual([
    "Usage-based",
  ]);
});

it.each([
  ["Company size", "Acme has 50 employees.", ["under 50 employees", "50-200", "over 200"], "50-200"],
  ["Company size", "Acme has 200 employees.", ["up to 50 employees", "50 to 199", "200+"], "200+"],
  [
    "Company size",
    "Acme has 20,000 employees.",
    ["1 to 10 000 employees", "10 001 - 50 000 employees"],
    "10 001 - 50 000 employees",
  ],
  ["Runway in months", "Runway: 14 months", ["up to 12 months", "more than 12 months"], "more than 12 months"],
])("chooses the range of “%s” that holds the number", async (description, text, labels, expected) => {
  const options = labels.map((label) => ({ label }));
  expect((await fill({ description, format: "options", options }, [{ ...HOME, text }])).result).toEqual([expected]);
});

it.each([
  ["Support hours", "Acme offers 24/7 support.", ["24/7 support", "Business hours"], "24/7 support"],
  ["Support hours", "Acme support: 24/7", ["24/7", "Business hours only"], "24/7"],
  ["Certificates", "Acme is certified by ISO 9001/14001.", ["ISO 9001/14001", "SOC 2"], "ISO 9001/14001"],
  ["Drive type", "Our lamps are moved by 4x4 trucks.", ["4x4", "Front wheels"], "4x4"],
  ["Runtime", "Acme runs on Java 17+ only.", ["Java 8", "Java 11", "Java 17+"], "Java 17+"],
])("chooses the label of “%s” that has numbers and is no range", async (description, text, labels, expected) => {
  const options = labels.map((label) => ({ label }));
  expect((await fill({ description, format: "options", options }, [{ ...HOME, text }])).result).toEqual([expected]);
});

it.each([
  ["Order no. 555-123-4567. Phone: 212-555-0187", "Phone number", "+12125550187"],
  ["IBAN DE89 3704 0044 0532 0130 00", "Phone number", null],
  ["Support: +44 20 7946 0958. Sales: +44 20 7946 0111.", "Sales phone number", "+442079460111"],
  ["Support: +44 20 7946 0958", "Phone number", "+442079460958"],
  ["Imprint Privacy policy +1 212-555-0187", "Phone number", "+12125550187"],
  ["Imprint Privacy policy 212-555-0187", "Phone number", "+12125550187"],
  ["Ticket office: 212-555-0187", "Phone number", "+12125550187"],
  ["Order hotline: +44 20 7946 0958", "Phone number", "+442079460958"],
  ["ORDER NO. 5 TEL 212-555-0187", "Phone number", "+12125550187"],
  ["Ticket 212-555-0187", "Phone number", null],
  ["Order number: 212-555-0187", "Phone number", null],
  ["Policy ID DE 212-555-0187", "Phone number", null],
])("reads a phone number of “%s”", async (text, description, expected) => {
  const { result } = await fill({ description, format: "phone" }, [{ ...HOME, text }]);
  expect(result).toEqual(expected === null ? null : [expected]);
});

it("looks on every page for the phone number that is asked for", async () => {
  const pages = ["Reception: +44 20 7946 0958", "Sales: +44 20 7946 0111"].map((text) => ({ ...HOME, text }));
  const { result } = await fill({ description: "Sales phone number", format: "phone" }, pages);
  expect(result).toEqual(["+442079460111"]);
});

it("takes a company's profile on a network, not one of its people", async () => {
  const text = "Jane: https://www.linkedin.com/in/jane. Acme: https://www.linkedin.com/company/acme";
  const cell = await fill({ description: "LinkedIn page", format: "url" }, [{ ...HOME, text }]);
  expect(cell.result).toEqual(["https://www.linkedin.com/company/acme"]);
});

it("reads a model's phone number by the rules of the entity's country", async () => {
  const quote = "Telefon: 040 555 21 870";
  const llm = scripted({ values: ["040 555 21 870"], quote, reasoning: "It is named." });
  const page = { ...HOME, text: quote, language: "de" };
  expect((await fill({ description: "Phone", format: "phone" }, [page], llm)).result).toEqual(["+494055521870"]);
});
