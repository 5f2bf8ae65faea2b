import { expect, it } from "vitest";
import { findEntities } from "../entities/find-entities.ts";
import { askCompany, pageOf } from "./testing-cell.ts";

it.each([
  ["Free for teams of up to 10 people.", null],
  ["Free for up to 10 people.", null],
  ["Gardenly makes payroll software for UK employers with 20 to 2,000 staff.", null],
  ["Gardenly is made for companies with 50 to 500 employees.", null],
  ["Gardenly suits any team of 12 people.", null],
  ["Save 10 hours per employee with Gardenly.", null],
  ["Plans start at 5 employees.", null],
  ["Many of our staff hold a SOC 2 auditor licence.", null],
  ["Our people work in 17 countries.", null],
  ["Our team has 30 years of practice.", null],
  ["Für Unternehmen mit 20 bis 200 Mitarbeitern.", null],
  ["Free for teams of up to 10 people. Around 90 people work at Gardenly.", "90"],
  ["We are a team of 45.", "45"],
  ["84\n\nemployees\n\n3\n\noffices", "84"],
  ["Gardenly has offices in 3 cities and 1,150 employees.", "1150"],
  ["Our team has grown from 20 to 80 people.", "80"],
  ["Headcount (2024): 120", "120"],
  ["Gardenly employs over 1,250 people.", "1250"],
  ["L'entreprise compte 62 salariés.", "62"],
  ["Wir sind 120 Mitarbeiter(innen).", "120"],
  ["Wir beschäftigen 45 Mitarbeitende.", "45"],
  ["Das Unternehmen hat 1.250 Mitarbeiter.", "1250"],
  ["Notre client Globex compte 62 salariés.", null],
  ["Die Muster GmbH hat 120 Mitarbeiter.", null],
])("counts those who work there and nobody else: %s", (text, expected) => {
  const cell = askCompany({ description: "Number of employees", format: "number" }, pageOf(text));
  expect(cell).toEqual(expected === null ? null : [expected]);
});

it.each(["Gardenly makes payroll software for UK employers with 20 to 2,000 staff.", "Save 10 hours per employee."])(
  "gives a company no employees who are others': %s",
  (text) => {
    const [company] = findEntities({ pages: [pageOf(text)], entity: { type: "company" }, query: "" });
    expect(company?.properties).toMatchObject({ company: { employees: null } });
  },
);
