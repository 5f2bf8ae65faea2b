/** Calls `refresh` again and again, never twice at once; what fails is told and tried again. */
export class ReaderRefresh {
  readonly #refresh: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;

  constructor(options: {
    readonly refresh: () => Promise<void>;
    readonly everyMs: number;
    readonly onError: (error: unknown) => void;
  }) {
    this.#refresh = options.refresh;
    this.#onError = options.onError;
    this.#timer = setInterval(() => void this.now().catch(this.#onError), options.everyMs).unref();
  }

  /** Refreshes, or waits for a refresh that has begun. */
  now(): Promise<void> {
    this.#running ??= this.#refresh().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running?.catch(this.#onError);
  }
}
