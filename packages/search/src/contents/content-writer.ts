import type { ContentPage } from "./content-page.ts";
import type { FilledObject } from "./fill-schema.ts";
import type { JsonSchema } from "./output-schema.ts";

/**
 * A language model that writes what is asked for of pages, and of whose words only those are left that the pages carry. Each gives
 * undefined when the model fails or nothing it wrote holds: then the pages' own sentences are shown.
 */
export interface ContentWriter {
  readonly summarise: (
    page: ContentPage,
    wish: { readonly query: string | undefined; readonly maxCharacters: number },
    signal: AbortSignal,
  ) => Promise<string | undefined>;
  readonly fill: (
    pages: readonly ContentPage[],
    wish: FillWish,
    signal: AbortSignal,
  ) => Promise<FilledObject | undefined>;
  /** A text over pages, and the pages it rests on. */
  readonly write: (
    pages: readonly ContentPage[],
    wish: Omit<FillWish, "schema">,
    signal: AbortSignal,
  ) => Promise<{ readonly text: string; readonly pages: readonly ContentPage[] } | undefined>;
}

/** What an object is to be filled with. */
export interface FillWish {
  readonly schema: JsonSchema;
  readonly query: string;
  /** What the caller adds for the model. */
  readonly systemPrompt?: string | undefined;
}
