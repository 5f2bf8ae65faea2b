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
