import type { PageText } from "../evidence.ts";
import { checkEvidence } from "../evidence.ts";
import type { CellQuestion, EnrichmentWish } from "./cell.ts";
import { fillByRules } from "./fill-cell.ts";

const URL = "https://gardenly.example/about";

/** A company for tests of cells. */
export const GARDENLY: CellQuestion["entity"] = {
  type: "company",
  name: "Gardenly",
  aliases: [],
  url: "https://gardenly.example/",
  properties: {
    type: "company",
    url: "https://gardenly.example/",
    description: "",
    content: null,
    company: {
      ...{ name: "Gardenly", location: null, employees: null, industry: null, about: null, logoUrl: null },
      ...{ foundedYear: null, headquarters: null, financials: null, webTraffic: null },
    },
  },
};

/** A page of that company. */
export function pageOf(text: string, more: Partial<PageText> = {}): PageText {
  return { url: URL, title: "About", text, snapshotId: "s1", ...more };
}

/** What a column's cell says of a page, the company's unless told; throws when a reference does not stand in it. */
export function askCompany(
  enrichment: EnrichmentWish,
  page: PageText,
  entity: CellQuestion["entity"] = GARDENLY,
): readonly string[] | null {
  const cell = fillByRules({ entity, enrichment, pages: [page] });
  const isProven = cell.references.length > 0 && cell.references.every((one) => checkEvidence(page, one));
  if (isProven !== (cell.result !== null)) throw new Error("a value has references, and no value has none");
  return cell.result;
}
