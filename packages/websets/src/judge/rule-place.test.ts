import { expect, it } from "vitest";
import { judgeByRules } from "./judge-by-rules.ts";

const acme = { type: "company" as const, name: "Acme GmbH", aliases: ["Acme"], url: "https://acme.example/" };

function judged(text: string, criterion: string, url = "https://acme.example/about"): unknown {
  const pages = [{ url, title: "About us", text, snapshotId: "s1" }];
  return { text, satisfied: judgeByRules({ entity: acme, criterion, pages }).satisfied };
}

it.each([
  ["Acme sells to companies headquartered in Germany.", "unclear"],
  ["Acme invests in start-ups based in Germany.", "unclear"],
  ["We serve Berlin-based companies.", "unclear"],
  ["Only for those headquartered in Germany.", "unclear"],
  ["Acme is part of a holding based in Germany.", "unclear"],
  ["Our servers are located in Germany.", "unclear"],
  ["Our engineers are based in Germany.", "unclear"],
  ["Acme, headquartered in Germany, sells pumps.", "yes"],
  ["Acme is a company headquartered in Germany.", "yes"],
  ["Acme is one of the largest pump makers based in Germany.", "yes"],
  ["We are a team of engineers based in Germany.", "yes"],
  ["A software company based in Berlin.", "yes"],
  ["From our Berlin-based studio we ship lamps.", "yes"],
])("looks at who has the seat: %s", (text, satisfied) => {
  expect(judged(text, "headquartered in Germany")).toEqual({ text, satisfied });
});

it.each([
  ["Acme has its seat in Dresden.", "headquartered in Germany", "yes"],
  ["Hauptsitz in Hamburg", "headquartered in Germany", "yes"],
  ["Unser Hauptsitz ist in Hamburg.", "headquartered in Germany", "yes"],
  ["Unser Hauptsitz ist nicht mehr in Hamburg.", "headquartered in Germany", "unclear"],
  ["Sitz der Gesellschaft: Köln", "headquartered in Germany", "yes"],
  ["Acme, mit Sitz in Köln, baut Pumpen.", "headquartered in Germany", "yes"],
  ["Acme a son siège social à Lyon.", "headquartered in Europe", "yes"],
  ["Siège social : Lyon", "headquartered in Germany", "no"],
  ["HQ: Nuremberg, Germany.", "headquartered in Europe", "yes"],
  ["Acme is headquartered in Vienna.", "headquartered in Germany or Austria", "yes"],
  ["Acme is headquartered in Lyon.", "headquartered in Germany or Austria", "no"],
  ["The hall seats 400 in Dresden.", "headquartered in Germany", "unclear"],
])("knows words for a seat: %s", (text, criterion, satisfied) => {
  expect(judged(text, criterion)).toEqual({ text, satisfied });
});

it("takes a company's own address for a hint at its seat, never against a word on it", () => {
  const german = "Address: Hauptstr. 5, 01067 Dresden, Germany";
  const imprint = "Impressum\n\nAcme GmbH\nHauptstr. 5\n01067 Dresden\nDeutschland\n\nTelefon: 0351 1234";
  for (const [text, path, satisfied] of [
    [german, "contact", "yes"],
    [imprint, "impressum", "yes"],
    [german, "customers/globex", "unclear"],
    [`${german}\n\nAcme is headquartered in Lyon, France.`, "contact", "no"],
    [`${german}\n\nAddress: 12 rue Bellecour, 69002 Lyon, France`, "contact", "unclear"],
    ["Address: 12 rue Bellecour, 69002 Lyon, France\n\nAcme is headquartered in Bonn.", "contact", "yes"],
    ["Address: Dresden", "contact", "yes"],
  ] as const) {
    const url = `https://acme.example/${path}`;
    expect(judged(text, "headquartered in Germany", url)).toEqual({ text, satisfied });
  }
});

it.each([
  ["Kim Abel works in Halifax, Nova Scotia.", "works in Canada", "yes"],
  ["Kim Abel is a nurse in Halifax, Nova Scotia.", "works in Canada", "yes"],
  ["Kim Abel is based in Toronto.", "works in Canada", "yes"],
  ["Kim Abel lives in Toronto.", "lives in Canada", "yes"],
  ["Kim Abel lives in Halifax, Nova Scotia.", "is based in Canada", "yes"],
  ["Kim Abel works in Berlin.", "works in Canada", "no"],
  ["Kim Abel is a frequent speaker in Toronto.", "works in Canada", "unclear"],
  ["Kim Abel was born in Toronto.", "works in Canada", "unclear"],
  ["Kim Abel worked in Toronto until 2019.", "works in Canada", "unclear"],
  ["Kim Abel works in robotics.", "works in robotics", "yes"],
])("knows where a person works: %s", (text, criterion, satisfied) => {
  const entity = { type: "person" as const, name: "Kim Abel", aliases: ["Abel"], url: "https://uni.example/abel" };
  const pages = [{ url: entity.url, title: entity.name, text, snapshotId: "s1" }];
  expect(judgeByRules({ entity, criterion, pages }).satisfied).toBe(satisfied);
});
