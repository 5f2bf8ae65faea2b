/** The address of a screen whose forms can be open. */
export interface DialogSearch {
  readonly dialog?: "new" | "import" | undefined;
}

/** Reads such an address. */
export function readDialogSearch(raw: Readonly<Record<string, unknown>>): DialogSearch {
  const { dialog } = raw;
  return dialog === "new" || dialog === "import" ? { dialog } : {};
}
