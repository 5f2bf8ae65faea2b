/** Ends a stretch of work on a task that waits for something; the next begins at `until`. No failure. */
export class PauseWorkflow extends Error {
  override readonly name = "PauseWorkflow";
  readonly until: Date;

  constructor(until: Date) {
    super(`the workflow waits until ${until.toISOString()}`);
    this.until = until;
  }
}
