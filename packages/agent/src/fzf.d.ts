/** The part of fzf that is used here; the types it carries cannot be found by Node's own rules. */
declare module "fzf" {
  interface Found {
    readonly item: string;
    readonly score: number;
    readonly start: number;
    readonly positions: ReadonlySet<number>;
  }
  export class Fzf {
    constructor(list: readonly string[], options: { readonly casing: "smart-case"; readonly fuzzy: "v1" | "v2" });
    find(query: string): readonly Found[];
  }
}
