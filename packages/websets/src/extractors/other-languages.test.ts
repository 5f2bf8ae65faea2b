import { expect, it } from "vitest";
import { askCompany, pageOf } from "./testing-cell.ts";

it.each([
  ["Gardenly wurde gegründet 2009 in Kiel.", "2009"],
  ["Gründung: 2013", "2013"],
  ["Gegründet: 4. Mai 2019", "2019-05-04"],
  ["Das Unternehmen wurde 2011 gegründet.", "2011"],
  ["Gegründet 2009 in Hamburg", "2009"],
  ["Gardenly wurde im März 2011 gegründet.", "2011-03"],
  ["Notre société a été fondée en 2012.", "2012"],
  ["Fondée en 2012, Gardenly cultive des plantes.", "2012"],
  ["L'entreprise a été créée le 1er février 2008.", "2008-02-01"],
  ["Unser Kunde Globex wurde 2011 gegründet.", null],
  ["Die Muster GmbH wurde 2011 gegründet.", null],
  ["Notre partenaire Globex a été fondé en 1990.", null],
  ["Das Vorgängerunternehmen wurde 1950 gegründet.", null],
  ["It opened on the 3rd September 2019, and was founded on 3rd September 2019.", "2019-09-03"],
])("reads when a company was founded: %s", (text, expected) => {
  const cell = askCompany({ description: "Date founded", format: "date" }, pageOf(text));
  expect(cell).toEqual(expected === null ? null : [expected]);
});

it("knows the language of a page by what the page says", () => {
  const page = pageOf("Unsere Gärtnerei gegründet 2009.", { language: "de" });
  expect(askCompany({ description: "Date founded", format: "date" }, page)).toEqual(["2009"]);
});
