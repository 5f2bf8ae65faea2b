/** What kind of thing a webset lists. */
export type EntityType = "company" | "person" | "article" | "research_paper" | "custom";

/** The kind as a search names it; `custom` says in words what it lists. */
export type EntityKind =
  { readonly type: Exclude<EntityType, "custom"> } | { readonly type: "custom"; readonly description: string };

/** A company's fields; all but the name may be unknown and are then null. */
export interface CompanyFields {
  readonly name: string;
  readonly location: string | null;
  readonly employees: number | null;
  readonly industry: string | null;
  readonly about: string | null;
  readonly logoUrl: string | null;
  readonly foundedYear: number | null;
  readonly headquarters: Headquarters | null;
  readonly financials: null;
  readonly webTraffic: null;
}

/** Where a company sits. */
export interface Headquarters {
  readonly address: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly postalCode: string | null;
  readonly country: string | null;
  readonly countryCode: string | null;
}

/** A person's fields. */
export interface PersonFields {
  readonly name: string;
  readonly location: string | null;
  readonly position: string | null;
  readonly company: { readonly name: string; readonly location: string | null } | null;
  readonly pictureUrl: string | null;
  readonly workHistory: readonly {
    readonly title: string | null;
    readonly location: string | null;
    readonly dates: { readonly from: string | null; readonly to: string | null } | null;
    readonly company: { readonly id: null; readonly name: string; readonly linkedinUrl: null } | null;
  }[];
  readonly educationHistory: readonly {
    readonly degree: string | null;
    readonly dates: { readonly from: string | null; readonly to: string | null } | null;
    readonly institution: { readonly id: null; readonly name: string; readonly linkedinUrl: null };
  }[];
}

/** What is known of a text: an article, a paper, or anything of its own kind. */
export interface WorkFields {
  readonly author: string | null;
  readonly publishedAt: string | null;
  readonly title: string | null;
}

/** An item's `properties` as the wire shows them. */
export type EntityProperties =
  | (CommonProperties & { readonly type: "company"; readonly company: CompanyFields; readonly content: string | null })
  | (CommonProperties & { readonly type: "person"; readonly person: PersonFields })
  | (CommonProperties & { readonly type: "article"; readonly article: WorkFields; readonly content: string | null })
  | (CommonProperties & {
      readonly type: "research_paper";
      readonly researchPaper: WorkFields;
      readonly content: string | null;
    })
  | (CommonProperties & { readonly type: "custom"; readonly custom: WorkFields; readonly content: string | null });

interface CommonProperties {
  readonly url: string;
  readonly description: string;
}

/** Something a webset may list, made of the pages that tell of it. */
export interface Entity {
  readonly type: EntityType;
  readonly name: string;
  /** Other names and spellings the pages use. */
  readonly aliases: readonly string[];
  /** The canonical address: a company's home page, a text's own address. */
  readonly url: string;
  readonly properties: EntityProperties;
  /** The pages it was found on, the one that tells most first. */
  readonly pages: readonly string[];
  /** The same for the same thing, whatever pages it was found on first: what merging and uniqueness go by. */
  readonly key: string;
  /** Further identities by which pages of the same thing are recognised. */
  readonly sameAs: readonly string[];
}
