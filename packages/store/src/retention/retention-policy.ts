/** How long things are kept that nothing refers to any more. */
export interface RetentionPolicy {
  /** The newest versions of every document that are kept whatever their age. */
  readonly versions: number;
  /** Days for which the older ones are kept, too. */
  readonly versionDays: number;
  readonly usageDays: number;
}

/** A deleted document's texts may still be on their way out of the index for as long as this. */
export const DELETED_GRACE_HOURS = 24;
