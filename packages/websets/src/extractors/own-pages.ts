import { isDirectory } from "../entities/company.ts";
import type { PageText } from "../evidence.ts";
import { isNamedIn } from "../judge/subject.ts";
import type { Filling } from "./filling.ts";

/** Whether the addresses and numbers that a page gives to all who read it are the entity's: its own page, or its entry in a directory. */
export function speaksFor(page: PageText, { topic: { context } }: Pick<Filling, "topic">): boolean {
  return context.isOwn(page) || (isDirectory(page.url) && isNamedIn(page.title, context));
}
