import type { SamplePage, SampleSourceFacts } from "@quarry/ingest";

/** One site or work that pages are taken from. */
export interface SampleSource extends Omit<SampleSourceFacts, "pages"> {
  /** Reads the source's pages; `root` is where its package was unpacked. */
  readonly read: (root: string) => Promise<readonly SamplePage[]>;
}
