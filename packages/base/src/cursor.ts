import { AppError } from "./app-error.ts";

/** One page of a list, as every list of the wire shows it. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** Makes the opaque cursor that continues after `position`. */
export function encodeCursor(position: readonly string[]): string {
  return Buffer.from(JSON.stringify(position), "utf8").toString("base64url");
}

/** Reads a cursor of `length` parts; throws `invalid_request` for one we did not make. */
export function decodeCursor(cursor: string, length: number): readonly string[] {
  const parts = parseParts(cursor);
  if (parts?.length !== length) {
    throw new AppError("invalid_request", "cursor: not one of ours; pass nextCursor of the page before, unchanged", {
      details: { field: "cursor" },
    });
  }
  return parts;
}

/** Cuts `rows`, read with `limit + 1`, to a page; `positionOf` names a row's place in the order. */
export function toPage<T>(rows: readonly T[], limit: number, positionOf: (row: T) => readonly string[]): Page<T> {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { data, hasMore, nextCursor: hasMore ? encodeCursor(positionOf(last)) : null };
}

function parseParts(cursor: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    return Array.isArray(value) && value.every((part) => typeof part === "string") ? value : undefined;
  } catch {
    return undefined; // not base64 of JSON: the caller says what to do
  }
}
