import { expect, it } from "vitest";
import { fillByRules } from "./fill-cell.ts";
import { askCompany, GARDENLY, pageOf } from "./testing-cell.ts";

const item = {
  "@type": "Organization",
  name: "Gardenly",
  url: "https://gardenly.example/",
  foundingDate: "2009-05-04",
  numberOfEmployees: { "@type": "QuantitativeValue", value: 120 },
  telephone: "+44 117 496 0871",
  email: "mailto:Info@gardenly.example",
  address: { "@type": "PostalAddress", streetAddress: "1 Lamp Lane", addressLocality: "Leeds", addressCountry: "GB" },
  sameAs: ["https://www.linkedin.com/company/gardenly", "https://twitter.com/gardenly"],
  founder: { "@type": "Person", name: "Ann Lee", sameAs: "https://twitter.com/ann" },
  employee: [
    { "@type": "Person", name: "Tom Hill", jobTitle: "Deputy to the CEO" },
    { "@type": "Person", name: "Jane Doe", jobTitle: "Chief Executive Officer" },
  ],
};
const STRUCTURED = { structured: [{ format: "json-ld", item }] };

it.each([
  ["Date founded", "date", "2009-05-04"],
  ["Number of employees", "number", "120"],
  ["Phone", "phone", "+441174960871"],
  ["Contact email", "email", "info@gardenly.example"],
  ["Address", "text", "1 Lamp Lane, Leeds, GB"],
  ["LinkedIn", "url", "https://www.linkedin.com/company/gardenly"],
  ["Twitter", "url", "https://twitter.com/gardenly"],
  ["CEO", "text", "Jane Doe"],
  ["Founder", "text", "Ann Lee"],
] as const)("fills “%s” from structured data where the text tells nothing", (description, format, expected) => {
  const page = pageOf("Gardenly grows plants.", STRUCTURED);
  expect(askCompany({ description, format }, page)).toEqual([expected]);
});

it("says that such a value does not stand in the words that it quotes", () => {
  const enrichment = { description: "Number of employees", format: "number" } as const;
  const pages = [pageOf("Gardenly grows plants.", STRUCTURED)];
  expect(fillByRules({ entity: GARDENLY, enrichment, pages })).toMatchObject({
    reasoning:
      "By rule (structured data of the page, numberOfEmployees), on the page that says “Gardenly grows plants.”.",
    references: [{ snippet: "Gardenly grows plants." }],
  });
});

it.each([
  ["Number of employees", "number", "Gardenly has 84 employees and 120 plants.", "84"],
  ["Date founded", "date", "Gardenly was founded in 2008.", "2008"],
  ["CEO", "text", "Hannah Liu is CEO of Gardenly.", "Hannah Liu"],
  ["Contact email", "email", "Write to hello@gardenly.example.", "hello@gardenly.example"],
] as const)("takes what the text says of “%s” before structured data", (description, format, text, expected) => {
  expect(askCompany({ description, format }, pageOf(text, STRUCTURED))).toEqual([expected]);
});

it.each([
  ["Number of employees", "number"],
  ["Date founded", "date"],
  ["CEO", "text"],
  ["LinkedIn", "url"],
] as const)("takes no “%s” from the structured data of another", (description, format) => {
  const other = { ...item, name: "Globex", url: "https://globex.example/" };
  const page = pageOf("Gardenly grows plants.", { structured: [{ format: "json-ld", item: other }] });
  expect(askCompany({ description, format }, page)).toBeNull();
});

it("takes no range for a number", () => {
  const range = { ...item, numberOfEmployees: { "@type": "QuantitativeValue", minValue: 50, maxValue: 100 } };
  const page = pageOf("Gardenly grows plants.", { structured: [{ format: "json-ld", item: range }] });
  expect(askCompany({ description: "Number of employees", format: "number" }, page)).toBeNull();
});
