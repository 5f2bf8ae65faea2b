/** Something that has a name in a file of code. Lines and columns count from 1. */
export interface CodeSymbol {
  readonly name: string;
  /** Such as `function`, `class` or `method`. */
  readonly kind: string;
  /** The names around it, outermost first, joined by dots; empty at the top of a file. */
  readonly container: string;
  readonly startLine: number;
  readonly endLine: number;
  /** Where its name stands. */
  readonly nameLine: number;
  readonly nameColumn: number;
}

/** A symbol's name with the names around it. */
export function qualifiedName({ container, name }: Pick<CodeSymbol, "container" | "name">): string {
  return container === "" ? name : `${container}.${name}`;
}
