/** The address of the approvals: which part is shown, and the session that is open. */
export interface ApprovalsSearch {
  readonly view?: "answered" | "rules" | "sessions" | "audit" | undefined;
  readonly id?: string | undefined;
}

const VIEWS = ["answered", "rules", "sessions", "audit"] as const;

/** Reads such an address. */
export function readApprovalsSearch(raw: Readonly<Record<string, unknown>>): ApprovalsSearch {
  const { id } = raw;
  const view = VIEWS.find((one) => one === raw["view"]);
  return {
    ...(view === undefined ? {} : { view }),
    ...(typeof id === "string" && id !== "" ? { id } : {}),
  };
}
