import { expect, it } from "vitest";
import type { CellQuestion } from "./cell.ts";
import { askCompany, pageOf } from "./testing-cell.ts";

const DANA: CellQuestion["entity"] = {
  type: "person",
  name: "Dana Fox",
  aliases: ["Fox"],
  url: "https://gardenly.example/about",
  properties: {
    type: "person",
    url: "https://gardenly.example/about",
    description: "",
    person: {
      ...{ name: "Dana Fox", location: null, position: null, company: null, pictureUrl: null },
      ...{ workHistory: [], educationHistory: [] },
    },
  },
};

it.each([
  ["Dana Fox is a staff engineer at Northwind Labs.", "Northwind Labs"],
  ["Dana Fox works at Northwind Labs in Leeds.", "Northwind Labs"],
  ["Dana Fox joined Northwind Labs as head of design.", "Northwind Labs"],
  ["Dana Fox\n\nStaff engineer @ Northwind Labs", "Northwind Labs"],
  ["Dana Fox likes plants.\n\nShe is head of design at the University of Leeds.", "University of Leeds"],
  ["Dana Fox worked at Globex. She now works for Northwind Labs.", "Northwind Labs"],
  ["Dana Fox was a staff engineer at Globex.", null],
  ["Dana Fox joined Globex in 2010 and left in 2012.", null],
  ["Tom Hill is a staff engineer at Globex and knows Dana Fox.", null],
  ["Is Dana Fox a staff engineer at Globex?", null],
  ["Dana Fox likes plants. Meet us at Globex", null],
])("tells where a person works: %s", (text, expected) => {
  const page = pageOf(text, { title: "Dana Fox" });
  const cell = askCompany({ description: "Current employer", format: "text" }, page, DANA);
  expect(cell).toEqual(expected === null ? null : [expected]);
});

it("takes the employer of structured data where the text names none", () => {
  const item = { "@type": "Person", name: "Dana Fox", worksFor: { "@type": "Organization", name: "Northwind Labs" } };
  const page = pageOf("Dana Fox likes plants.", { title: "Dana Fox", structured: [{ format: "json-ld", item }] });
  expect(askCompany({ description: "Current employer", format: "text" }, page, DANA)).toEqual(["Northwind Labs"]);
});
