/**
 * Closes one after another, in this order. One that fails, on a disk that is full or read-only say, does not keep the rest
 * open: the database must end with its server. Rejects with the first failure once all had their turn.
 */
export async function closeAll(closers: readonly (() => Promise<void> | void)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
