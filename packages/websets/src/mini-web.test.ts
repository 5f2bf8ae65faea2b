import { extractHtml } from "@quarry/extract";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { findEntities } from "./entities/find-entities.ts";
import { checkEvidence, type PageText } from "./evidence.ts";
import { judgeCriterion } from "./judge/judge-criterion.ts";
import type { Verdict } from "./judge/verdict.ts";
import { makeMiniWeb, type MiniWeb } from "./testing/mini-web.ts";

const COMPANIES = 102;

verifies(
  "websets:quality:mini-web",
  "finds the companies of a made-up web that state a criterion, and no others",
  async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    process.stdout.write(`mini-web seed ${seed}\n`);
    const web = makeMiniWeb({ seed, templates: "test", companies: COMPANIES });
    expect(web.pages.length).toBeGreaterThanOrEqual(300);
    expect(web.trappedPages / web.pages.length).toBeGreaterThan(0.25);
    const pages = readPages(web);
    const companies = findEntities({ pages, entity: { type: "company" }, query: "companies" });
    expect(companies).toHaveLength(COMPANIES);

    let right = 0;
    let wrong = 0;
    let missed = 0;
    for (const { description, met } of web.criteria) {
      for (const entity of companies) {
        const own = pages.filter(({ url }) => entity.pages.includes(url));
        const verdict = await judgeCriterion({ entity, criterion: description, pages: own, signal: never });
        expect(hasEvidence(verdict, own), `${seed}: ${verdict.reasoning}`).toBe(true);
        const isMet = met.has(new URL(entity.url).host);
        if (verdict.satisfied === "yes" && isMet) right += 1;
        else if (verdict.satisfied === "yes") wrong += 1;
        else if (isMet) missed += 1;
      }
    }
    expect(right / (right + wrong), `precision, seed ${seed}`).toBeGreaterThanOrEqual(0.9);
    expect(right / (right + missed), `recall, seed ${seed}`).toBeGreaterThanOrEqual(0.9);
  },
  60_000,
);

const never = new AbortController().signal;

/** A yes or no without a quote that stands in a page is what must never be. */
function hasEvidence({ satisfied, references }: Verdict, pages: readonly PageText[]): boolean {
  const areThere = references.every((one) => pages.some((page) => checkEvidence(page, one)));
  return areThere && (satisfied === "unclear" || references.length > 0);
}

function readPages(web: MiniWeb): readonly PageText[] {
  return web.pages.map(({ url, html }) => {
    const { title, text, siteName, description, structuredData } = extractHtml({ url, html });
    return {
      url,
      title: title ?? null,
      text,
      snapshotId: "snapshot",
      siteName,
      description,
      structured: structuredData.jsonLd.map((item) => ({ format: "json-ld", item })),
    };
  });
}
