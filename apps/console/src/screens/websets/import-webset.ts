import { send } from "../../api/send.ts";
import { writeCsv } from "../../ui/read-csv.ts";
import { say } from "../../words/say.ts";
import { mapColumns, type Role } from "./map-columns.ts";
import type { Webset, WebsetEntity } from "./webset-shapes.ts";

const LOOK_AGAIN_MS = 300;

/** A file and what its columns mean. */
export interface ImportWish {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
  readonly roles: readonly Role[];
  readonly entity: WebsetEntity;
  readonly questions: readonly string[];
}

interface Import {
  readonly id: string;
  readonly status: "pending" | "processing" | "completed" | "failed";
  readonly failedMessage: string | null;
  readonly uploadUrl?: string;
}

/** Sends a file and makes a webset of its rows; rejects with the server's sentence when it cannot read it. */
export async function importWebset(wish: ImportWish, signal: AbortSignal): Promise<Webset> {
  const body = new TextEncoder().encode(writeCsv(mapColumns(wish.rows, wish.roles)));
  const made = await send<Import>("/websets/v0/imports", {
    method: "POST",
    body: {
      size: body.length,
      count: wish.rows.length - 1,
      format: "csv",
      entity: wish.entity,
      title: wish.title,
      csv: { identifier: 0 },
    },
    signal,
  });
  const { pathname, search } = new URL(made.uploadUrl ?? "", location.href); // of this server, whatever its name outside
  await send(`${pathname}${search}`, {
    method: "PUT",
    body: new Blob([body]),
    headers: { "content-type": "text/csv" },
    signal,
  });
  await untilRead(made.id, signal);
  return send<Webset>("/websets/v0/websets", {
    method: "POST",
    body: {
      title: wish.title,
      import: [{ source: "import", id: made.id }],
      enrichments: wish.questions.map((description) => ({ description })),
    },
    signal,
  });
}

async function untilRead(id: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const { status, failedMessage } = await send<Import>(`/websets/v0/imports/${encodeURIComponent(id)}`, { signal });
    if (status === "completed") return;
    if (status === "failed") throw new Error(failedMessage ?? say("websets.theFileCouldNotBeRead"));
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
