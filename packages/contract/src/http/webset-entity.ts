import { z } from "zod";

/** The kinds of entities with a shape of their own. */
export const ENTITY_TYPES = ["company", "person", "article", "research_paper"] as const;

/** What a list is of: one of the known kinds, or a custom one in words. */
export const websetEntitySchema = z
  .discriminatedUnion("type", [
    z.object({ type: z.enum(ENTITY_TYPES) }),
    z.object({ type: z.literal("custom"), description: z.string().trim().min(2).max(200) }),
  ])
  .meta({ id: "WebsetEntity" });

/** What a list is of. */
export type WebsetEntity = z.output<typeof websetEntitySchema>;

/** Notes of the caller's: text by name. */
export const metadataSchema = z.record(z.string(), z.string().max(1_000));
