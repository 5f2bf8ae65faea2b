import { expect, it } from "vitest";
import { askCompany, pageOf } from "./testing-cell.ts";

const CARDS = "Our team\n\nJane Doe\n\nChief Executive Officer\n\nTom Hill\n\nChief Technology Officer";

it.each([
  ["Who is the CEO?", "Jane Doe is CEO of Gardenly.", ["Jane Doe"]],
  ["CEO", "Our CEO, Hannah Liu, previously led design at a bank.", ["Hannah Liu"]],
  ["CEO", "Grace Nguyen, Chief Executive Officer", ["Grace Nguyen"]],
  ["CEO", "The news was brought by CEO Kristjan Tamm.", ["Kristjan Tamm"]],
  ["CEO name", "Alan Whitcombe has been chief executive since 2016.", ["Alan Whitcombe"]],
  ["CEO", "Nele Hartwig (CEO)", ["Nele Hartwig"]],
  ["CEO", "The company is led by chief executive Maria Rossi.", ["Maria Rossi"]],
  ["CEO", "The CEO of Gardenly is J. K. Lowe.", ["J. K. Lowe"]],
  ["CEO", "Jane Doe, co-founder and CEO, and Tom Hill, CTO, live in Leeds.", ["Jane Doe"]],
  ["CTO", "Jane Doe, co-founder and CEO, and Tom Hill, CTO, live in Leeds.", ["Tom Hill"]],
  ["CEO", CARDS, ["Jane Doe"]],
  ["Who is the CTO?", CARDS, ["Tom Hill"]],
  ["CEO", "Chief Executive Officer\nJane Doe\nChief Technology Officer\nTom Hill", ["Jane Doe"]],
  ["CEO", "Jane Doe\nLeeds\nTom Hill\nCEO\nShe likes gardens.\nAnn Lee\nCTO", ["Tom Hill"]],
  ["CEO", "Who is the CEO?\n\nJane Doe", ["Jane Doe"]],
  ["CEO", "Name | Role\nJane Doe | CEO\nTom Hill | CTO", ["Jane Doe"]],
  ["Founders", "Gardenly was founded in 2019 by Jane Doe and Tom Hill.", ["Jane Doe", "Tom Hill"]],
  ["Who founded the company?", "Jane Doe and Tom Hill founded Gardenly in 2019.", ["Jane Doe", "Tom Hill"]],
  ["Founder", "Ann Lee – Founder & CEO", ["Ann Lee"]],
  ["Founders", "Founders\nJane Doe\nCEO\nTom Hill\nCTO", ["Jane Doe", "Tom Hill"]],
  ["Chairman", "Sir Peter Marsh is chairman of the board.", ["Peter Marsh"]],
  ["Managing director", "Managing Director: Ann Lee", ["Ann Lee"]],
  [
    "Geschäftsführer",
    "Geschäftsführer: Dr. Jens Holthaus, Anna Kern Registergericht: Hamburg",
    ["Jens Holthaus", "Anna Kern"],
  ],
  ["CEO", "Geschäftsführerin ist Anna Kern.", ["Anna Kern"]],
  ["CEO", "Unsere Geschäftsführerin Anna Kern leitet das Unternehmen seit 2011.", ["Anna Kern"]],
  ["CEO", "Directeur général : Hugo Lemaire", ["Hugo Lemaire"]],
  ["Who is the CEO?", "Claire Moreau, PDG", ["Claire Moreau"]],
  ["Managing director", "Gérante : Claire de la Tour", ["Claire de la Tour"]],
  ["Head of Sales", "Head of Sales: Tom Hill", ["Tom Hill"]],
  ["CEO", "In April 2022 Jane Doe succeeded Tom Hill as CEO.", ["Jane Doe"]],
  ["CEO", "Tom Hill was succeeded by Jane Doe as CEO.", ["Jane Doe"]],
])("tells who holds the role of “%s”: %s", (description, text, expected) => {
  expect(askCompany({ description, format: "text" }, pageOf(text))).toEqual(expected);
});

it.each([
  ["Who is the CEO?", "Who is the CEO?"],
  ["CEO", "CEO: katrin.vogel@ostwind.example"],
  ["CEO", "CEO\nChief Technology Officer"],
  ["CEO", "CEO\n\nTeam\n\nAoife Brennan"],
  ["CEO", "Our CEO likes gardens and writes on them."],
  ["Name of the CEO", "The name of our CEO is known to all of our staff."],
  ["CEO", "Tom Hill is CEO of Globex."],
  ["CEO", "“Gardenly saved us hours.”\n\nTom Hill, CEO"],
  ["CEO", "“Gardenly saved us hours.”\nTom Hill\nCEO"],
  ["CEO", "“Gardenly saved us hours,” says Tom Hill, CEO of Globex."],
  ["CEO", "Tom Hill, CEO at our customer Globex, uses it."],
  ["CEO", "Tom Hill, CEO, Globex"],
  ["CEO", "Globex CEO Tom Hill joined us."],
  ["CEO", "Tom Hill was CEO until 2019."],
  ["CEO", "Our former CEO Tom Hill sits on the board."],
  ["CEO", "Ann Lee, assistant to the CEO"],
  ["President", "Ann Lee, Vice President"],
  ["CEO", "Jane Doe\nCEO\nTom Hill"],
  ["CEO", "United Kingdom, CEO"],
  ["CEO", "Read our CEO Insights Weekly."],
])("names nobody for “%s” where the page does not: %s", (description, text) => {
  expect(askCompany({ description, format: "text" }, pageOf(text))).toBeNull();
});
