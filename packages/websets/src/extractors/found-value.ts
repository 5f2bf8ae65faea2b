/** A value of a text with its place. */
export interface FoundValue {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}
