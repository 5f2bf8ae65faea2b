/** Calls `refresh` again and again, never twice at once; what fails is told and tried again. */
export class ReaderRefresh {
  readonly #refresh: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(options: {
    readonly refresh: () => Promise<void>;
    readonly everyMs: number;
    readonly onError: (error: unknown) => void;
  }) {
    this.#refresh = options.refresh;
    this.#onError = options.onError;
    this.#timer = setInterval(() => {
      if (this.#running === undefined) void this.now().catch(this.#onError);
    }, options.everyMs).unref();
  }

  /** Refreshes; after one that has begun already, which may have looked too early to see what the caller knows of. */
  now(): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.#refresh().finally(() => (this.#running = undefined));
      return this.#running;
    }
    const begin = (): Promise<void> => {
      this.#next = undefined;
      return this.now();
    };
    this.#next ??= this.#running.then(begin, begin);
    return this.#next;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([this.#running?.catch(this.#onError), this.#next?.catch(this.#onError)]);
  }
}
