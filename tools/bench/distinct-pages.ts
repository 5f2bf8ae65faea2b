import { generatedPages, type MiniWebPages } from "@quarry/crawl/testing";

const SYLLABLES = [
  "ba",
  "den",
  "fi",
  "gor",
  "hul",
  "ke",
  "lim",
  "mo",
  "nas",
  "pe",
  "ri",
  "sul",
  "ta",
  "ven",
  "wo",
  "zin",
];
/** Coprime steps through a vocabulary, so that no two pages are alike. */
const VOCABULARY = 65_521;
const PAGE_STEP = 7_919;
const WORD_STEP = 104_729;

/** Generated pages with words of letters, different on each page: pages that differ in numbers alone are duplicates. */
export function distinctPages(count: number): MiniWebPages {
  const pages = generatedPages(count);
  return (target) => {
    const page = pages(target);
    if (typeof page?.body !== "string") return page;
    const number = Number(/\d+$/.exec(target)?.[0] ?? "0");
    return {
      ...page,
      body: page.body.replace(/word(\d+)/g, (_word, place: string) =>
        spell((Number(place) * WORD_STEP + number * PAGE_STEP) % VOCABULARY),
      ),
    };
  };
}

function spell(value: number): string {
  return [value >> 12, value >> 8, value >> 4, value].map((part) => SYLLABLES[part & 15] ?? "").join("");
}
