import { expect, it } from "vitest";
import { askCompany, GARDENLY, pageOf } from "./testing-cell.ts";

it.each([
  ["https://a.de/", "Am Sandtorkai 41 20457 Hamburg Telefon: 040 555 21 870", "+494055521870"],
  ["https://a.de/", "Am Sandtorkai 41 20457 Hamburg", null],
  ["https://a.de/", "Fax: 040 555 21 871\nTel.: 040 555 21 870", "+494055521870"],
  ["https://a.com.au/", "Phone (02) 5550 1199", "+61255501199"],
  ["https://gardenly.example/", "Phone (02) 5550 1199", "0255501199"],
  ["https://gardenly.example/", "Phone (office) 212-555-0187", "+12125550187"],
  ["https://a.co.uk/", "Phone | 0117 496 0871", "+441174960871"],
  ["https://gardenly.example/", "Phone | 0117 496 0871", "01174960871"],
  ["https://gardenly.example/", "Phone\n0117 496 0871", "01174960871"],
])("reads the phone number at %s: %s", (url, text, expected) => {
  const cell = askCompany({ description: "Phone", format: "phone" }, pageOf(text, { url }), { ...GARDENLY, url });
  expect(cell).toEqual(expected === null ? null : [expected]);
});

it.each([
  ["Contact email", "Press: press@gardenly.example Sales: sales@gardenly.example", "sales@gardenly.example"],
  ["Email", "privacy@gardenly.example, jobs@gardenly.example, info@gardenly.example", "info@gardenly.example"],
  ["Contact email", "press@gardenly.example, jane@gardenly.example", "jane@gardenly.example"],
  ["Press email", "info@gardenly.example, press@gardenly.example", "press@gardenly.example"],
  ["Privacy contact email", "info@gardenly.example, privacy@gardenly.example", "privacy@gardenly.example"],
  ["Contact email", "Only press@gardenly.example is read.", "press@gardenly.example"],
])("chooses the address for “%s”: %s", (description, text, expected) => {
  expect(askCompany({ description, format: "email" }, pageOf(text))).toEqual([expected]);
});
