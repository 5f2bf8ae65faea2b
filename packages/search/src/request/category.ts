/** Which pages a category means: those that were given it, and those of sites that have no others. */
export interface Category {
  readonly names: readonly string[];
  readonly sites: readonly string[];
}

/** The categories that narrow a search, by what clients call them. */
const CATEGORIES: Readonly<Record<string, Category>> = {
  company: { names: ["company"], sites: ["linkedin.com/company", "crunchbase.com/organization"] },
  people: { names: ["people", "person", "linkedin profile"], sites: ["linkedin.com/in"] },
  "linkedin profile": { names: ["linkedin profile", "people"], sites: ["linkedin.com/in"] },
  publication: {
    names: ["publication", "research paper", "paper"],
    sites: [
      "arxiv.org",
      "aclanthology.org",
      "biorxiv.org",
      "medrxiv.org",
      "openreview.net",
      "pubmed.ncbi.nlm.nih.gov",
      "ncbi.nlm.nih.gov/pmc",
      "doi.org",
      "semanticscholar.org/paper",
    ],
  },
  news: {
    names: ["news", "news article"],
    sites: ["reuters.com", "apnews.com", "bbc.com/news", "bbc.co.uk/news", "theguardian.com", "npr.org"],
  },
  "personal site": { names: ["personal site", "blog"], sites: ["*.github.io", "*.substack.com", "*.bearblog.dev"] },
  "financial report": { names: ["financial report"], sites: ["sec.gov/Archives", "sec.gov/edgar"] },
  pdf: { names: ["pdf"], sites: ["*/*.pdf"] },
  github: { names: ["github"], sites: ["github.com"] },
  tweet: { names: ["tweet"], sites: ["x.com", "twitter.com"] },
};

/** A category that narrows a search; undefined for any other word, which is a hint. */
export function readCategory(given: string | undefined): Category | undefined {
  const name = nameOf(given ?? "");
  const known = name === "research paper" ? "publication" : name === "pdfs" ? "pdf" : name;
  return Object.hasOwn(CATEGORIES, known) ? CATEGORIES[known] : undefined;
}

/** Whether a page has the category that was given as a hint. */
export function fitsHint(page: { readonly category: string | null }, hint: string): boolean {
  return page.category !== null && nameOf(page.category) === nameOf(hint);
}

function nameOf(category: string): string {
  return category
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, " ");
}
