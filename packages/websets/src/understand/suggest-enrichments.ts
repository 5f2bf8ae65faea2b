import type { EntityKind } from "../entities/entity.ts";
import type { UnderstoodWebset } from "./understood-query.ts";

type Suggestion = UnderstoodWebset["enrichments"][number];

const BY_TYPE: Readonly<Record<EntityKind["type"], readonly Suggestion[]>> = {
  company: [
    { description: "Year the company was founded", format: "number" },
    { description: "Number of employees", format: "number" },
    { description: "Headquarters location", format: "text" },
    { description: "Contact email address", format: "email" },
    { description: "LinkedIn page URL", format: "url" },
  ],
  person: [
    { description: "Current job title", format: "text" },
    { description: "Current employer", format: "text" },
    { description: "Email address", format: "email" },
    { description: "LinkedIn profile URL", format: "url" },
  ],
  article: [
    { description: "Publication date", format: "date" },
    { description: "Author", format: "text" },
    { description: "Main claim of the article", format: "text" },
  ],
  research_paper: [
    { description: "Publication date", format: "date" },
    { description: "Authors", format: "text" },
    { description: "Main finding of the paper", format: "text" },
  ],
  custom: [
    { description: "Official website URL", format: "url" },
    { description: "Date", format: "date" },
    { description: "Short description", format: "text" },
  ],
};

/** Columns that fit a kind of entity, those the query speaks of first. */
export function suggestEnrichments(entity: EntityKind, query: string): readonly Suggestion[] {
  const asked: Suggestion[] = [
    ...(/\b(?:rais(?:ed|ing)|funding|series [a-e]\b|investors?)\b/i.test(query)
      ? [{ description: "Total funding raised in US dollars", format: "number" } as const]
      : []),
    ...(/\b(?:ceo|founders?)\b/i.test(query) && entity.type === "company"
      ? [{ description: "Name of the CEO", format: "text" } as const]
      : []),
    ...(/\b(?:price|cost|cheap|under \$|pricing)\b/i.test(query)
      ? [{ description: "Price", format: "number" } as const]
      : []),
    ...(/\b(?:phone|call)\b/i.test(query) ? [{ description: "Phone number", format: "phone" } as const] : []),
  ];
  return [...asked, ...BY_TYPE[entity.type]].slice(0, 5);
}
