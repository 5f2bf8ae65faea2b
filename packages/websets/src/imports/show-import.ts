import { websetEntitySchema, type ImportWire } from "@quarry/contract";
import type { Import } from "@quarry/store";

/** An import as the wire shows it. */
export function showImport(found: Import): ImportWire {
  return {
    id: found.id,
    object: "import",
    status: found.status,
    format: found.format,
    entity: websetEntitySchema.parse(found.entity),
    title: found.title,
    count: found.count,
    metadata: { ...found.metadata },
    failedReason: found.failedReason,
    failedAt: found.failedAt?.toISOString() ?? null,
    failedMessage: found.failedMessage,
    createdAt: found.createdAt.toISOString(),
    updatedAt: found.updatedAt.toISOString(),
  };
}
