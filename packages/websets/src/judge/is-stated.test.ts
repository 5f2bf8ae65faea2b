import { expect, it } from "vitest";
import { judgeByRules } from "./judge-by-rules.ts";
import type { Satisfied } from "./verdict.ts";

const acme = { type: "company" as const, name: "Acme GmbH", aliases: ["Acme"], url: "https://acme.example/" };
const kim = { type: "person" as const, name: "Kim Abel", aliases: ["Abel"], url: "https://uni.example/abel" };

function judged(entity: typeof acme | typeof kim, text: string, criterion: string): unknown {
  const url = entity === kim ? kim.url : "https://acme.example/about";
  const pages = [{ url, title: entity === kim ? kim.name : "About us", text, snapshotId: "s1" }];
  return { text, satisfied: judgeByRules({ entity, criterion, pages }).satisfied };
}

function expectAll(entity: typeof acme | typeof kim, criterion: string, expected: Record<Satisfied, string[]>): void {
  for (const satisfied of ["yes", "no", "unclear"] as const)
    for (const text of expected[satisfied]) expect(judged(entity, text, criterion)).toEqual({ text, satisfied });
}

it("takes for certified only who is said to be, not whom it helps or what it rents", () => {
  expectAll(acme, "is SOC 2 Type II certified", {
    yes: [
      "Acme is SOC 2 Type II certified.",
      "Acme is a SOC 2 Type II certified provider of lamps.",
      "Acme: SOC 2 Type II certified.",
      "We are proud to be SOC 2 Type II certified.",
      "Our company has become SOC 2 Type II certified.",
      "We are one of few SOC 2 Type II certified agencies.",
      "SOC 2 Type II certified since March 2025.",
      "Are you SOC 2 Type II certified?\nYes. Our auditors renewed it in May.",
      "Is Acme SOC 2 Type II certified?\nYes, since 2024.",
    ],
    no: ["Are you SOC 2 Type II certified?\nNo.", "Acme is not SOC 2 Type II certified."],
    unclear: [
      "Acme helps start-ups become SOC 2 Type II certified in weeks.",
      "Acme runs in SOC 2 Type II certified data centers.",
      "Download our checklist for getting SOC 2 Type II certified.",
      "We only work with SOC 2 Type II certified hosting providers.",
      "Acme is the fastest way to get SOC 2 Type II certified.",
      "Our data is stored in an SOC 2 Type II certified facility.",
      "Our data centers are SOC 2 Type II certified.",
      "Acme works for customers who are SOC 2 Type II certified.",
      "Our guide to SOC 2 Type II certification is free.",
      "Acme is SOC 2 Type I certified.",
      "Read what SOC 2 Type II means.",
      "Is Globex SOC 2 Type II certified?\nYes.",
    ],
  });
  expect(
    judged(acme, "Acme offers training for ISO 27001 certification.", "has ISO 27001 certification"),
  ).toMatchObject({ satisfied: "unclear" });
  expect(judged(acme, "Acme works with family-owned firms.", "is family-owned")).toMatchObject({
    satisfied: "unclear",
  });
});

it("takes for offered only what is said to be there for the reader", () => {
  expectAll(acme, "has a free plan", {
    yes: [
      "Acme has a free plan.",
      "Start with our free plan.",
      "Sign up for a free plan today.",
      "Free plan available.",
      "Does Acme have a free plan?\nYes",
    ],
    no: ["There is no free plan."],
    unclear: [
      "Create a free plan of your garden in minutes.",
      "Make a free plan for your wedding.",
      "Ask about the free plan for nonprofits; there is none for companies.",
    ],
  });
});

it("knows other words for a free plan and for hosting oneself", () => {
  expectAll(acme, "offers a free plan", {
    yes: [
      "There is a free tier.",
      "Acme offers a free version.",
      "Free forever for up to five users.",
      "The Basic plan costs nothing.",
      "Hobby $0 forever",
      "Pricing\n\nFree | $0",
      "Free: €0 / month",
      "Free\n$0",
      "Starter | $0 | 3 users",
    ],
    no: ["There is no free tier.", "Acme no longer offers a free version."],
    unclear: [
      "Free trial of 14 days.",
      "Acme offers a free trial version.",
      "Setup fee: $0",
      "Pro: $0 for the first month",
      "Free: call us",
      "Free shipping on every order.",
      "Shipping costs nothing.",
      "Our plan is $0.50 per call.",
      "Get your free copy of the plan.",
      "Globex offers a free tier.",
    ],
  });
  expectAll(acme, "offers self-hosted deployment", {
    yes: [
      "Acme is self-hosted only.",
      "You can run it on your own servers.",
      "Acme is available as cloud or self-hosted.",
      "Available as cloud or self-hosted.",
      "We offer a self-hosted edition.",
    ],
    no: [
      "Acme is not self-hosted.",
      "You can't run it on your own servers.",
      "Self-hosting is not offered.",
      "There is no self-hosted version.",
    ],
    unclear: [
      "We run our own servers.",
      "A cloud alternative to self-hosted tools.",
      "Migrate from your self-hosted wiki to Acme.",
      "Our blog is self-hosted.",
      "Acme integrates with self-hosted GitLab.",
    ],
  });
});

it("reads certificates in German and French", () => {
  expectAll(acme, "is ISO 27001 certified", {
    yes: [
      "Wir sind nach ISO 27001 zertifiziert.",
      "Acme ist nach ISO 27001 zertifiziert.",
      "Acme est certifiée ISO 27001.",
      "Nous sommes certifiés ISO 27001.",
    ],
    no: ["Wir sind nicht nach ISO 27001 zertifiziert.", "Nous ne sommes pas certifiés ISO 27001."],
    unclear: ["Unsere Rechenzentren sind nach ISO 27001 zertifiziert.", "Globex ist nach ISO 27001 zertifiziert."],
  });
  expect(judged(acme, "Wir sind SOC 2 Type II zertifiziert.", "is SOC 2 Type II certified")).toMatchObject({
    satisfied: "yes",
  });
});

it.each([
  ["sells HR or payroll software", "Acme sells payroll software.", "yes"],
  ["sells HR or payroll software", "Acme sells HR software.", "yes"],
  ["sells HR or payroll software", "Acme sells tax software.", "unclear"],
  ["sells HR or payroll software", "Acme does not sell payroll software.", "unclear"],
  ["sells HR and payroll software", "Acme sells payroll software.", "unclear"],
  ["sells HR and payroll software", "Acme sells HR and payroll software.", "yes"],
  ["sells electric bikes or scooters", "Acme sells electric scooters.", "yes"],
  ["sells electric bikes or scooters", "Acme sells scooters.", "unclear"],
  ["offers a public API or a command line", "Acme offers a command line.", "yes"],
  ["does not sell tea or coffee", "Acme does not sell tea.", "unclear"],
])("takes either of two for “%s”: %s", (criterion, text, satisfied) => {
  expect(judged(acme, text, criterion)).toEqual({ text, satisfied });
});

it("takes for a holder of a degree only who has got it", () => {
  expectAll(kim, "holds a PhD", {
    yes: [
      "Kim Abel holds a PhD in physics from TU Wien.",
      "Kim Abel received her PhD from MIT in 2010.",
      "Kim Abel works at Globex. She has a PhD.",
      "Kim Abel, PhD, leads the lab.",
    ],
    no: ["Kim Abel does not hold a PhD."],
    unclear: [
      "Kim Abel is a PhD candidate in physics.",
      "Kim Abel has three PhD students.",
      "Kim Abel is currently pursuing a PhD in physics.",
      "Kim Abel began a PhD in 2020.",
      "I dropped out of my PhD after two years.",
      "Kim Abel is a nurse. Her husband holds a PhD in physics.",
      "Kim Abel is a nurse. His wife, Dr. Linda Osei, holds a PhD.",
      "My older brother holds a PhD.",
    ],
  });
});
