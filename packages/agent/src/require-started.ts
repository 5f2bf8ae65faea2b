import type { ChildProcess } from "node:child_process";
import { AppError } from "@quarry/base";

/**
 * The process that `spawn` has just made, with its streams. Throws `unavailable` where the system had no descriptor left for
 * it: Node gives back a process without streams then, and tells of it by an event that ends us when nobody listens.
 * A program that is not there is told by `error`, as ever.
 */
export function requireStarted<T extends ChildProcess>(child: T): T {
  const { stdio }: { readonly stdio?: unknown } = child;
  if (stdio !== undefined) return child;
  child.once("error", () => undefined); // thrown here
  throw AppError.ofStorage("too-many-files");
}
