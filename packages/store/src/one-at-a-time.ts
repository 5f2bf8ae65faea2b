/** Makes a queue of its own: work handed to it runs in order, each after the one before has settled. */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let tail: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = tail.then(work);
    tail = result.catch(() => undefined); // its own caller is told; the next only waits for it
    return result;
  };
}
