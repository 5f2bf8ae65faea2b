/** Lets one task run at a time, in order of arrival. A task that fails does not stop the next. */
export class Lock {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(task, task);
    this.#last = result.catch(() => undefined); // the caller has the error; the next task only waits
    return result;
  }
}
