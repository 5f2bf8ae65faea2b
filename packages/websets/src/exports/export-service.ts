import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { AppError, type Clock } from "@quarry/base";
import { exaEvent, type ExportFormat, type ExportWire } from "@quarry/contract";
import {
  appendEvent,
  createWebsetExport,
  findWebsetExport,
  getWebset,
  type BlobStore,
  type Database,
  type WebsetExport,
} from "@quarry/store";

/** What exports need. */
export interface ExportDeps {
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly clock: Clock;
}

/** How long an address of a file works; reading the export gives another. */
const LINK_MS = 60 * 60 * 1000;
const SECRET_BYTES = 32;

/** Makes an export of a webset, which a job will write, and tells of it. */
export async function beginExport(
  deps: ExportDeps,
  wish: {
    readonly id: string;
    readonly teamId: string;
    readonly webset: string;
    readonly format: ExportFormat;
    readonly baseUrl: string;
  },
): Promise<WebsetExport> {
  const now = deps.clock.now();
  return deps.database.transaction(async (tx) => {
    const webset = await getWebset(tx, wish.teamId, wish.webset);
    const wanted = {
      id: wish.id,
      teamId: wish.teamId,
      websetId: webset.id,
      format: wish.format,
      baseUrl: wish.baseUrl,
      downloadSecret: randomBytes(SECRET_BYTES),
    };
    const { made, isNew } = await createWebsetExport(tx, wanted, now);
    if (isNew) await appendEvent(tx, exaEvent(made.teamId, "webset.export.created", showExport(made, now)), now);
    return made;
  });
}

/** An export as the wire shows it at `now`, with an address of its file that works for an hour. */
export function showExport(written: WebsetExport, now: Date, baseUrl: string = written.baseUrl): ExportWire {
  const link = linkOf(written, now, baseUrl);
  return {
    id: written.id,
    object: "export",
    websetId: written.websetId,
    format: written.format,
    status: written.status,
    downloadUrl: link?.url ?? null,
    expiresAt: link?.expiresAt.toISOString() ?? null,
    count: written.count,
    failedMessage: written.failedMessage,
    createdAt: written.createdAt.toISOString(),
    updatedAt: written.updatedAt.toISOString(),
  };
}

/** The export whose file an address stands for. Throws `forbidden` for a signature that is not ours, `gone` for one that has expired. */
export async function openDownload(
  deps: ExportDeps,
  id: string,
  proof: { readonly expires: string; readonly signature: string },
): Promise<WebsetExport> {
  const written = await findWebsetExport(deps.database, id);
  const given = Buffer.from(proof.signature, "hex");
  const expected = written === undefined ? undefined : sign(written, proof.expires);
  if (written === undefined || expected?.length !== given.length || !timingSafeEqual(expected, given)) {
    throw new AppError(
      "forbidden",
      "this download address is not one of ours: use downloadUrl of the export, unchanged",
    );
  }
  if (Number(proof.expires) * 1000 <= deps.clock.now().getTime() || written.parts === null) {
    throw new AppError("gone", "this download address has expired: read the export for another, or make a new export");
  }
  return written;
}

function linkOf(
  written: WebsetExport,
  now: Date,
  baseUrl: string,
): { readonly url: string; readonly expiresAt: Date } | undefined {
  if (written.status !== "completed" || written.parts === null || written.keptUntil === null) return undefined;
  const endMs = Math.min(now.getTime() + LINK_MS, written.keptUntil.getTime());
  if (endMs <= now.getTime()) return undefined;
  const expires = String(Math.floor(endMs / 1000));
  const path = `/websets/v0/websets/${written.websetId}/exports/${written.id}/download`;
  const signature = sign(written, expires).toString("hex");
  return {
    url: `${baseUrl}${path}?expires=${expires}&signature=${signature}`,
    expiresAt: new Date(Number(expires) * 1000),
  };
}

function sign(written: WebsetExport, expires: string): Buffer {
  return createHmac("sha256", written.downloadSecret).update(`${written.id}.${expires}`).digest();
}
