import { AppError, decodeCursor } from "@quarry/base";

/** Where a page of a reply begins: the place of its first item, and how much of that item's text was shown before. */
export interface ReplyCursor {
  readonly place: string;
  readonly offset: number;
}

/** Reads the cursor of a page before; the beginning without one. Throws `invalid_request` for one we did not make. */
export function readCursor(cursor: string | undefined): ReplyCursor | undefined {
  if (cursor === undefined) return undefined;
  const [place = "", offset = "0"] = decode(cursor);
  return { place, offset: Math.max(0, Math.trunc(Number(offset)) || 0) };
}

function decode(cursor: string): readonly string[] {
  try {
    return decodeCursor(cursor, 2);
  } catch (cause) {
    const message = "cursor: not one of ours; pass next.cursor of the reply before, unchanged, with the same arguments";
    throw new AppError("invalid_request", message, { cause });
  }
}
