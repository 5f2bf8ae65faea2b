/** Where something is defined. Lines and columns count from 1. */
export interface CodePlace {
  readonly absolute: string;
  readonly name: string;
  /** The names around it; empty where they are not known. */
  readonly container: string;
  readonly kind: string;
  readonly startLine: number;
  readonly endLine: number;
  /** Where its name stands. */
  readonly nameLine: number;
  readonly nameColumn: number;
}
