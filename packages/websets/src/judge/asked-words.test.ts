import { describe, expect, it } from "vitest";
import { checkEvidence, type PageText } from "../evidence.ts";
import { judgeByRules } from "./judge-by-rules.ts";
import type { Verdict } from "./verdict.ts";

const NOW = new Date("2026-11-19T00:00:00Z");
const gardenly = { type: "company" as const, name: "Gardenly", aliases: [], url: "https://gardenly.example/" };

function judge(criterion: string, text: string, more: Partial<PageText> = {}): Verdict {
  const page = { url: "https://gardenly.example/about", title: "About", text, snapshotId: "s1", ...more };
  const verdict = judgeByRules({ entity: gardenly, criterion, pages: [page], now: NOW });
  expect(verdict.references.every((one) => checkEvidence(page, one))).toBe(true);
  return verdict;
}

describe("what a rule does not read of a criterion", () => {
  it.each([
    ["raised more than $5 million in 2023", "Gardenly raised $1 million in 2023.", "unclear"],
    ["raised more than $5 million in 2023", "Gardenly raised $9 million in 2021.", "unclear"],
    ["raised more than $5 million in 2023", "Gardenly raised $9 million in 2023.", "yes"],
    ["acquired Globex in 2020", "Gardenly acquired Initech in 2020.", "unclear"],
    ["acquired Globex in 2020", "Gardenly acquired Globex in 2020.", "yes"],
    ["launched a mobile app in 2022", "Gardenly launched its newsletter in 2022.", "unclear"],
    ["launched a mobile app in 2022", "Gardenly launched its mobile app in 2022.", "yes"],
    ["launched a mobile app in 2022", "Gardenly launched its mobile app in 2019.", "no"],
    ["established a research lab in 2019", "Gardenly was established in 2019.", "unclear"],
    ["founded by women after 2015", "Gardenly was founded in 2019.", "unclear"],
    ["has a founding date after 2015", "Gardenly was founded in 2019.", "yes"],
    ["was founded less than ten years ago", "Gardenly was founded in 2019.", "yes"],
    ["has at least 3 offices in Germany", "Gardenly has 5 offices in Italy.", "unclear"],
    ["has at least 3 offices in Germany", "Gardenly has 5 offices in Germany.", "yes"],
    ["has more than 50 employees in Germany", "Gardenly has 500 employees worldwide.", "unclear"],
    ["employs more than 50 people worldwide", "Gardenly has 500 employees.", "yes"],
    ["has a research center located in Berlin", "Gardenly is headquartered in Berlin.", "unclear"],
    ["has a research center located in Berlin", "Gardenly has a research center located in Berlin.", "yes"],
    ["has founders based in London", "Gardenly is based in London.", "unclear"],
    ["has its main office located in the city of London", "Gardenly is based in London.", "yes"],
    ["is headquartered outside the United States", "Gardenly is headquartered in Boston.", "no"],
    ["is headquartered outside the United States", "Gardenly is headquartered in Berlin.", "yes"],
    ["was acquired after 2020", "Gardenly acquired Globex in 2022.", "unclear"],
    ["was acquired after 2020", "Gardenly was acquired in 2022.", "yes"],
    ["acquired Globex in 2020", "Gardenly was acquired by Globex in 2020.", "unclear"],
    ["has raised over $5 million in total funding", "Gardenly has raised $9 million to date.", "yes"],
  ])("must stand in the statement that gives the value: %s / %s", (criterion, text, satisfied) => {
    expect(judge(criterion, text).satisfied).toBe(satisfied);
  });

  it.each([
    ["is a robotics startup based in Berlin", "Gardenly is based in Berlin.", "unclear"],
    ["is a robotics startup based in Berlin", "Gardenly is a robotics startup.\n\nIt is based in Berlin.", "yes"],
    ["is a German company founded after 2015", "Gardenly was founded in 2019.", "unclear"],
    ["is a company founded after 2015", "Gardenly was founded in 2019.", "yes"],
    ["is a company based in Berlin", "Gardenly is based in Berlin.", "yes"],
  ])("or is asked for by itself, where it says what the company is: %s / %s", (criterion, text, satisfied) => {
    expect(judge(criterion, text).satisfied).toBe(satisfied);
  });
});

describe("a criterion of several parts", () => {
  it("has a quote of each", () => {
    const seat = "We are based in Berlin.\n\nOur head office is located in Berlin.\n\nHeadquarters: Berlin";
    const text = `${seat}\n\nWe have 120 employees.\n\nFounded in 2015.\n\nWe offer a free plan.`;
    const criterion =
      "is based in Berlin and has more than 50 employees and was founded after 2010 and offers a free plan";
    const { satisfied, references } = judge(criterion, text);
    expect(satisfied).toBe("yes");
    expect(references.map(({ snippet }) => snippet)).toEqual([
      "Headquarters: Berlin",
      "We have 120 employees.",
      "Founded in 2015.",
      "We offer a free plan.",
    ]);
  });
});

describe("what was published within months", () => {
  const article = { type: "article" as const, name: "Rakes", aliases: [], url: "https://paper.example/rakes" };
  it.each([
    ["2026-02-01", "published in the last 3 months", "no"],
    ["2026-10-01", "published in the last 3 months", "yes"],
    ["2025-12-20", "published in the last 12 months", "yes"],
    ["2025-10-20", "published in the last 12 months", "no"],
    ["2026-10-01", "published in 2026 and about rakes", "unclear"],
    ["2026-10-01", "published in 2026 about gardens", "yes"],
    ["2026-10-01", "published in 2026 about rockets", "unclear"],
    ["2019-10-01", "published in 2026 about gardens", "no"],
  ])("is told by the day: %s, %s", (publishedDate, criterion, satisfied) => {
    const page = { url: article.url, title: "Rakes", text: "Gardens need care.", snapshotId: "s1", publishedDate };
    expect(judgeByRules({ entity: article, criterion, pages: [page], now: NOW })).toMatchObject({ satisfied });
  });

  it("is not told by a year that it lies in", () => {
    const page = { url: article.url, title: "Rakes", text: "Published in 2026.", snapshotId: "s1" };
    const criterion = "published in the last 3 months";
    expect(judgeByRules({ entity: article, criterion, pages: [page], now: NOW }).satisfied).toBe("unclear");
  });
});

describe("whom a page of others speaks of", () => {
  it("does not depend on the statements before", () => {
    const news = { url: "https://news.example/gardenly", title: "Gardenly grows" };
    const said = "Gardenly has 120 employees.";
    const before = "There may be 900 employees one day.";
    expect(judge("has more than 50 employees", said, news).satisfied).toBe("yes");
    expect(judge("has more than 50 employees", `${before}\n\n${said}`, news).satisfied).toBe("yes");
  });
});

describe("words that are another's in small letters, or without their hyphen", () => {
  it.each([
    ["offers IT services", "We offer cleaning services.", "unclear"],
    ["offers IT services", "We offer it with services.", "unclear"],
    ["offers IT services", "We offer IT services.", "yes"],
    ["offers IT services", "We offer information technology services.", "yes"],
    ["offers a no-code app builder", "We offer a no-code app builder.", "yes"],
    ["offers a no-code app builder", "We offer an app builder for code.", "unclear"],
    ["offers SSO or SAML or SCIM", "We offer SAML.", "yes"],
  ])("%s / %s", (criterion, text, satisfied) => {
    expect(judge(criterion, text).satisfied).toBe(satisfied);
  });

  it("does not look for every choice of a hundred", () => {
    const criterion = `offers ${Array.from({ length: 150 }, (_, index) => `tool${index}`).join(" or ")}`;
    const text = Array.from({ length: 1_500 }, (_, index) => `We sell thing ${index} to gardeners.`).join("\n\n");
    const start = performance.now();
    expect(judge(criterion, text).satisfied).toBe("unclear");
    expect(performance.now() - start).toBeLessThan(3_000);
  });
});
