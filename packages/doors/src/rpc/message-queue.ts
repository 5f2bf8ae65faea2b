/** Messages that several writers put in and one reader takes out, in order, until closed. */
export class MessageQueue<T> {
  readonly #messages: T[] = [];
  #isClosed = false;
  #error: Error | undefined;
  #bell: (() => void) | undefined;

  put(message: T): void {
    if (this.#isClosed) return;
    this.#messages.push(message);
    this.#bell?.();
  }

  /** Ends the reading once everything was taken; with an error, by throwing it. */
  close(error?: Error): void {
    this.#isClosed = true;
    this.#error ??= error;
    this.#bell?.();
  }

  async *read(): AsyncGenerator<T> {
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined) yield message;
      else if (this.#isClosed) break;
      else await new Promise<void>((resolve) => (this.#bell = resolve));
    }
    if (this.#error !== undefined) throw this.#error;
  }
}
