const SIGN_END = 7;

/** Finds the sign by which a terminal's first process tells the command's exit code, and takes it out of the output. */
export class EndSign {
  readonly #prefix: Buffer;
  #held = Buffer.alloc(0);
  #exitCode: number | undefined;

  constructor(token: string) {
    this.#prefix = Buffer.from(`\u001b]777;${token};`);
  }

  /** The exit code, once the sign came. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  /** The output in a piece of what the terminal said. What may be the beginning of the sign is held until more comes. */
  take(chunk: Buffer): Buffer {
    if (this.#exitCode !== undefined) return Buffer.alloc(0);
    const all = Buffer.concat([this.#held, chunk]);
    const at = all.indexOf(this.#prefix);
    const end = at === -1 ? -1 : all.indexOf(SIGN_END, at);
    const start = at === -1 ? all.length - this.#beginning(all) : at;
    if (end === -1) this.#held = all.subarray(start);
    else this.#exitCode = Number(all.toString("latin1", at + this.#prefix.length, end));
    return all.subarray(0, start);
  }

  /** How many bytes at the end could be the beginning of the sign. */
  #beginning(bytes: Buffer): number {
    for (let length = Math.min(bytes.length, this.#prefix.length - 1); length > 0; length -= 1) {
      if (bytes.subarray(bytes.length - length).equals(this.#prefix.subarray(0, length))) return length;
    }
    return 0;
  }
}
