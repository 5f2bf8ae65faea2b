/** The address of one webset: the cell that is open, the page that it quotes, and the words to show items of. */
export interface WebsetAddress {
  readonly item?: string | undefined;
  readonly column?: string | undefined;
  readonly url?: string | undefined;
  readonly words?: string | undefined;
}

/** Reads such an address. */
export function readWebsetAddress(raw: Readonly<Record<string, unknown>>): WebsetAddress {
  const text = (name: string): object => {
    const value = raw[name];
    return (typeof value === "string" || typeof value === "number") && value !== "" ? { [name]: String(value) } : {};
  };
  return { ...text("item"), ...text("column"), ...text("url"), ...text("words") };
}
