/** Words that say the same, by language. */
export interface WordFamily {
  readonly en: string;
  readonly de?: string;
  readonly fr?: string;
  /** Several words that say it together, where each alone may say something else. */
  readonly phrase?: RegExp;
}

/** Other words for what columns often ask. */
export const KIN: readonly WordFamily[] = [
  {
    en: "employee staff team people headcount workforce colleague worker employ",
    de: "Mitarbeiter Mitarbeiterin Mitarbeiterinnen Mitarbeitende Mitarbeitenden Mitarbeiterzahl Beschäftigte beschäftigt beschäftigen Angestellte Belegschaft",
    fr: "salarié salariée collaborateur collaboratrice employé effectif équipe personnes",
  },
  {
    en: "founded founding foundation established incorporated inception started",
    de: "gegründet Gründung Gründungsjahr Gründungsdatum",
    fr: "fondé fondée créé créée création fondation",
  },
  { en: "founder founders co-founder", de: "Gründer Gründerin", fr: "fondateur fondatrice cofondateur" },
  { en: "headquarters headquartered based location located office hq seat", de: "Sitz Hauptsitz", fr: "siège" },
  {
    en: "funding raised raise investment financing round capital invested",
    phrase: /\bSeries [A-H]\b|\b[Ss]eed (?:round|funding|financing)\b/,
  },
  { en: "revenue turnover sales arr", de: "Umsatz Jahresumsatz" },
  { en: "ceo chief executive" },
  { en: "price cost pricing priced", de: "Preis", fr: "prix" },
  { en: "phone telephone tel call mobile hotline", de: "Telefon", fr: "téléphone" },
  { en: "email mail e-mail contact" },
  { en: "website homepage web site" },
  { en: "industry sector field", de: "Branche", fr: "secteur" },
  { en: "customer client user", de: "Kunde Kunden" },
  { en: "launched launch released release" },
  { en: "published posted written publication" },
  { en: "given gave delivered spoken" },
  { en: "speech talk lecture remarks" },
];

/** Ways to say what labels of options often say, where the words have nothing in common. */
export const MEANINGS: readonly RegExp[] = [
  /\b(?:self[- ]host(?:ed|ing)?|self[- ]managed|on[- ]prem(?:ises?)?|(?:run|host|install) it yourself|on (?:your|their) own (?:servers?|infrastructure|hardware|machines?))\b/i,
];

/** Who holds a role, as columns ask for it and pages name it; between `|`, as parts of a pattern. */
export interface RoleFamily extends WordFamily {
  /** What asks for it beside its own words: "who leads the company". */
  readonly asks?: string;
  /** Roles of the same weight where nobody has this one: a Geschäftsführer leads a company that has no CEO. */
  readonly orElse?: RoleFamily;
  /** Whether several people may hold it. */
  readonly isShared?: boolean;
}

const MANAGERS: RoleFamily = {
  en: "managing directors?|general managers?",
  de: "Geschäftsführer(?:innen|in)?|Geschäftsführung|Geschäftsleiter(?:in)?",
  fr: "gérante?s?",
  isShared: true,
};

/** The roles that columns ask for; the first whose words a column has is meant. */
export const ROLES: readonly RoleFamily[] = [
  {
    en: "(?:co-?)?CEOs?|chief executives?(?: officers?)?",
    de: "Vorstandsvorsitzende[rn]?",
    fr: "président[- ]directeur général|P\\.?-?D\\.?-?G\\.?|directeur général|directrice générale",
    asks: "who (?:leads|runs|heads)\\b",
    orElse: MANAGERS,
  },
  MANAGERS,
  { en: "CTO|chief (?:technology|technical) officer", de: "technische[rn]? Leiter(?:in)?", fr: "directeur technique" },
  { en: "CFO|chief financial officer", de: "Finanzvorstand", fr: "directeur financier|directrice financière" },
  { en: "COO|chief operating officer" },
  { en: "CMO|chief marketing officer" },
  { en: "CPO|chief product officer" },
  { en: "CIO|chief information officer" },
  {
    en: "(?:co-?)?founders?",
    de: "(?:Mit)?[Gg]ründer(?:innen|in)?",
    fr: "(?:co-?)?fondat(?:eurs?|rices?)",
    asks: "who (?:founded|started|set up)\\b|founded by",
    isShared: true,
  },
  {
    en: "chair(?:man|woman|person)?",
    de: "Aufsichtsratsvorsitzende[rn]?",
    fr: "présidente? du conseil(?: d['’]administration)?",
  },
  { en: "president", de: "Präsident(?:in)?", fr: "présidente?" },
  { en: "owners?|proprietors?", de: "Inhaber(?:in)?", fr: "propriétaires?", isShared: true },
  { en: "directors?", de: "Direktor(?:in)?", fr: "direct(?:eur|rice)", isShared: true },
];

/** Any title, for lists of people: which lines of a page name what somebody is. */
export const OTHER_TITLES =
  "chief \\p{L}{1,20} officer|C[A-Z]O|VP|SVP|EVP|vice[- ]president|head of \\p{L}{1,20}|manager|engineer|developer|designer|partner|principal|analyst|consultant|scientist|researcher|advis[eo]r|counsel|secretary|treasurer|lead|officer|specialist|coordinator|associate|assistant|accountant|producer|editor|architect|leiter(?:in)?|prokurist(?:in)?|responsable|ingénieure?";

/** Words that are never part of somebody's name, though they may stand with a capital. */
export const NO_NAMES =
  "the|our|your|this|that|we|us|about|contact|meet|team|teams|leadership|management|executive|board|staff|company|people|story|history|careers?|jobs?|news|press|blog|home|welcome|privacy|policy|terms|imprint|impressum|support|service|services|products?|platform|pricing|solutions?|systems?|software|technolog(?:y|ies)|group|labs?|inc|ltd|limited|llc|llp|gmbh|ag|se|kg|ug|corp|corporation|holdings?|ventures|capital|bank|university|universität|université|institute|school|college|street|road|avenue|straße|city|read|more|learn|join|book|get|sign|start|free|who|what|how|why|when|where|is|are|and|senior|junior|deputy|vice|interim|acting|former|general|global|chief|technical|technology|operating|financial|marketing|product|sales|unser|unsere|das|die|der|wir|über|kontakt|notre|nos|nous|équipe|contactez|le|la|les|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|june|july|august|september|october|november|december|customers?|clients?|studio|agency|media|digital|international|europe|germany|france|series|co-?founder|phone|telephone|telefon|tel|fax|email|e-mail|address|vat|registered|office|insights?|weekly|monthly|daily|annual|letter|newsletter|magazine|report|roundtable|summit|forum|interview|podcast|webinar|awards?|message|guide|survey|network|club|program(?:me)?";

/** How texts of a language that is not English speak; there every noun, or none, has a capital, so that names do not tell of others. */
export interface LanguageWords {
  /** Words by which a text of the language is known. */
  readonly common: RegExp;
  /** The company whose page it is. */
  readonly self: RegExp;
  /** Others whom such pages speak of. */
  readonly others: RegExp;
  /** What denies a statement, or says that it was so once or is only planned. */
  readonly traps: RegExp;
}

export const LANGUAGES: Readonly<Record<"de" | "fr", LanguageWords>> = {
  de: {
    common:
      /(?<!\p{L})(?:der|die|das|und|wir|wurde|ist|sind|im|mit|seit|unser[a-z]{0,2}|von|für|ein|eine|gegründet|beschäftigen|Mitarbeiter|Mitarbeitende)(?!\p{L})/giu,
    self: /(?<!\p{L})(?:wir|uns|unser[a-z]{0,2}|(?:das|die|der)\s(?:\p{L}{0,30})(?:unternehmen|firma|gesellschaft|betrieb|agentur|start-?up|manufaktur|verlag))(?!\p{L})/iu,
    others:
      /(?<!\p{L})(?:kund(?:e|en|in)|partner|lieferant(?:en)?|tochter(?:gesellschaft|firma|unternehmen)?|muttergesellschaft|wettbewerber|mandant(?:en)?)(?!\p{L})/iu,
    traps:
      /(?<!\p{L})(?:nicht|kein|keine|keinen|nie|niemals|ehemal(?:s|ige[nrs]?)|früher(?:e[nrs]?)?|damals|bis (?:19|20)\d\d|soll|sollen|plant|planen|geplant|möchte[n]?|künftig|vorgänger\p{L}{0,20})(?!\p{L})/iu,
  },
  fr: {
    common:
      /(?<!\p{L})(?:le|la|les|des|une|est|nous|notre|nos|et|en|fondée?|créée?|compte|avec|pour|dans|depuis|salariés)(?!\p{L})/giu,
    self: /(?<!\p{L})(?:nous|notre|nos|l['’](?:entreprise|agence|équipe|atelier)|la (?:société|maison|startup|start-up|marque|pme))(?!\p{L})/iu,
    others: /(?<!\p{L})(?:clients?|clientes?|partenaires?|fournisseurs?|filiales?|concurrents?|maison mère)(?!\p{L})/iu,
    traps:
      /(?<!\p{L})(?:pas|jamais|aucun|aucune|plus de (?!\d)|ancien(?:ne)?s?|autrefois|jusqu['’]en|prévoit|prévoyons|souhaite|futur|prédécesseur)(?!\p{L})/iu,
  },
};
