/** Lets one writer at a time at a path. */
export interface PathLocks {
  /** Does `work` when everything that was asked for these paths before is done. */
  readonly hold: <T>(paths: readonly string[], work: () => Promise<T>) => Promise<T>;
}

/** Makes locks for the paths of one process; they are taken in the order they were asked for. */
export function createPathLocks(): PathLocks {
  const last = new Map<string, Promise<void>>();
  return {
    hold: async (paths, work) => {
      // All places are taken in the same turn, so that two holders can never wait for each other.
      const before = paths.flatMap((path) => last.get(path) ?? []);
      let release = (): void => undefined;
      const done = new Promise<void>((resolve) => (release = resolve));
      for (const path of paths) last.set(path, done);
      try {
        await Promise.all(before);
        return await work();
      } finally {
        release();
        for (const path of paths) if (last.get(path) === done) last.delete(path);
      }
    },
  };
}
