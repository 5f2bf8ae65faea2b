/** One behaviour that a seed, a specification, the design or an issue demands. */
export interface Requirement {
  /** `area:thing:behaviour` in kebab-case; a tool's field is `tools:<tool>:params|result:<field>`. */
  readonly id: string;
  /** Where it is demanded: "exa-api 2.1.1", "seed 001 §4.2", "issue 7". */
  readonly source: string;
  readonly sentence: string;
}

/** Sentences by id, grouped by the place that demands them. */
export type RequirementsBySource = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Turns the table of one area file into requirements, in the order written. */
export function requirements(bySource: RequirementsBySource): readonly Requirement[] {
  return Object.entries(bySource).flatMap(([source, sentences]) =>
    Object.entries(sentences).map(([id, sentence]) => ({ id, source, sentence })),
  );
}

/** The area of an id: what stands before its first colon. */
export function areaOf(id: string): string {
  return id.slice(0, id.indexOf(":"));
}
