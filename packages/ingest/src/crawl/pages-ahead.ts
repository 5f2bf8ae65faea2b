import type { QueuedPage } from "@quarry/store";

/** Pages taken from the frontier whose turn is near, by host: a host that rests does not stand in another's way. */
export class PagesAhead {
  readonly #byHost = new Map<string, QueuedPage[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(pages: readonly QueuedPage[]): void {
    for (const page of pages) {
      const queue = this.#byHost.get(page.host);
      if (queue === undefined) this.#byHost.set(page.host, [page]);
      else queue.push(page);
    }
    this.#size += pages.length;
  }

  /** The next page of a host that is ready; hosts take turns, and a host's pages come as they were added. */
  take(isReady: (host: string) => boolean): QueuedPage | undefined {
    for (const [host, queue] of this.#byHost) {
      if (!isReady(host)) continue;
      const page = queue.shift();
      this.#byHost.delete(host); // put in again, behind the others: the order of a Map is that of insertion
      if (queue.length > 0) this.#byHost.set(host, queue);
      if (page === undefined) continue;
      this.#size -= 1;
      return page;
    }
    return undefined;
  }

  /** Every host with pages here, and how many. */
  hosts(): readonly { readonly host: string; readonly pages: number }[] {
    return [...this.#byHost].map(([host, queue]) => ({ host, pages: queue.length }));
  }

  /** The URLs of one host's pages. */
  urlsOf(host: string): readonly string[] {
    return (this.#byHost.get(host) ?? []).map(({ url }) => url);
  }
}
