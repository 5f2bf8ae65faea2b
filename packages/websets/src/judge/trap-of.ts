import type { Finding } from "./finding.ts";
import type { Statement } from "./statements.ts";
import { subjectOf, type SubjectContext } from "./subject.ts";
import { findTrap, type StatedKind } from "./traps.ts";

/** What takes a statement its force: that it is about another, or that it is denied, over or only planned. */
export function trapOf(
  statement: Statement,
  anchor: { readonly start: number; readonly end: number },
  context: SubjectContext,
  statements: readonly Statement[],
  kind: StatedKind,
): Finding["trap"] {
  const subject = subjectOf(statement, anchor, context, statements);
  if (subject !== "own") return "other-entity";
  return findTrap(statement.text, anchor, kind);
}
