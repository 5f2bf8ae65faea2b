import { english, type English } from "./english.ts";

/** Every message in one language. */
export type Catalogue = Readonly<Record<keyof English, string>>;

/** What a language brings: a message that it lacks is told in English; it may have more forms of a count than English. */
export type OwnCatalogue = Partial<Catalogue> & Readonly<Record<`${string}.${Intl.LDMLPluralRule}`, string>>;

/** The languages that the console speaks. Another one is a line here and a file beside `english.ts`. */
const CATALOGUES: Readonly<Record<string, OwnCatalogue>> = { en: english };

/** What a reader gets: a language, how it writes numbers and dates, and its messages. */
export interface Choice {
  readonly language: string;
  /** A locale for `Intl`: the reader's own variant of the language, as de-AT for German. */
  readonly formats: string;
  readonly catalogue: Catalogue;
}

/** The first language that the reader wants and the console speaks; English when there is none. */
export function chooseCatalogue(
  wanted: readonly string[],
  catalogues: Readonly<Record<string, OwnCatalogue>> = CATALOGUES,
): Choice {
  for (const locale of wanted) {
    const [language = ""] = locale.toLowerCase().split("-");
    const own = Object.hasOwn(catalogues, language) ? catalogues[language] : undefined;
    if (own !== undefined) return { language, formats: locale, catalogue: { ...english, ...own } };
  }
  return { language: "en", formats: "en", catalogue: english };
}
