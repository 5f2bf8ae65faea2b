/** The address of a screen whose form can be open. */
export interface DialogSearch {
  readonly dialog?: "new" | undefined;
}

/** Reads such an address. */
export function readDialogSearch(raw: Readonly<Record<string, unknown>>): DialogSearch {
  return raw["dialog"] === "new" ? { dialog: "new" } : {};
}
