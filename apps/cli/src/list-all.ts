import { AppError } from "@quarry/base";
import type { pageOf } from "@quarry/contract";
import type { z } from "zod";
import { callApi } from "./api-client.ts";
import type { ApiTarget } from "./api-client.ts";

/** What is listed, and how much of it a request asks for. */
export interface ListQuestion {
  readonly path: string;
  readonly pageSize: number;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
}

/** More rows than anybody reads in a terminal; a script asks the API page by page. */
const MAX_ROWS = 100_000;

/** Every row of a list, page after page. */
export async function listAll<Item extends z.ZodType>(
  target: ApiTarget,
  question: ListQuestion,
  schema: ReturnType<typeof pageOf<Item>>,
  signal: AbortSignal,
): Promise<readonly z.output<Item>[]> {
  const { path, pageSize } = question;
  const rows: z.output<Item>[] = [];
  for (let cursor: string | undefined; rows.length < MAX_ROWS;) {
    const query = { ...question.query, limit: pageSize, cursor };
    const page = await callApi(target, { method: "GET", path, query }, schema, signal);
    rows.push(...page.data);
    if (page.nextCursor === null) return rows;
    cursor = page.nextCursor;
  }
  throw new AppError("too_large", `there are more than ${MAX_ROWS} rows; use GET ${path} page by page`);
}
