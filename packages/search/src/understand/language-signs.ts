/** Scripts and the languages with rules for stems that are written in them. */
export const SCRIPT_LANGUAGES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\p{Script=Cyrillic}/u, ["ru"]],
  [/\p{Script=Arabic}/u, ["ar"]],
  [/\p{Script=Greek}/u, ["el"]],
  [/\p{Script=Armenian}/u, ["hy"]],
  [/\p{Script=Devanagari}/u, ["hi"]],
  [/\p{Script=Tamil}/u, ["ta"]],
];

/** Letters that only some languages have. */
export const LANGUAGE_LETTERS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/[іїєґ]/, ["uk", "uk", "uk"]],
  [/[ђјљњћџ]/, ["sr", "sr", "sr"]],
  [/[ъ]/, ["bg"]],
  [/[ыэё]/, ["ru"]],
  [/ß/, ["de", "de"]],
  [/[äöü]/, ["de"]],
  [/[äö]/, ["fi", "sv"]],
  [/[åø]|æ/, ["da", "no"]],
  [/å/, ["sv"]],
  [/[ñ¿¡]/, ["es", "es"]],
  [/[ãõ]/, ["pt", "pt"]],
  [/ç/, ["pt", "fr", "tr"]],
  [/[èêœùàâîû]/, ["fr"]],
  [/[èàòù]/, ["it"]],
  [/[ığş]/, ["tr", "tr"]],
  [/[őű]/, ["hu", "hu"]],
  [/[ăâșțţ]/, ["ro"]],
  [/[ąčęėįųūž]/, ["lt"]],
];

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

/** Small words that give a language away; English keeps those it shares with others. */
const LISTS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "en",
    words(
      "the of and to is are was were what how why who when where which does do did can could should would with for from by this that these those about between into than your you my it its be been has have not or as at",
    ),
  ],
  [
    "de",
    words(
      "der das und ist sind wie wer wann warum wo welche welcher welches mit für von zum zur ein eine einer einen eines nicht auf bei nach über oder ich wir sie dem den im als auch aus",
    ),
  ],
  [
    "fr",
    words(
      "le les des est sont comment pourquoi quand où qui que quel quelle quels quelles avec pour dans sur une un du au aux et ou ce cette ces ne pas plus par entre sans mon ma mes",
    ),
  ],
  [
    "es",
    words(
      "el los las es son cómo como qué por quién cuándo cuál dónde con para una uno del al y o no más sin entre sobre mi mis su sus esta este lo se",
    ),
  ],
  [
    "it",
    words(
      "il gli è sono perché chi quando dove quale quali con per una uno del della dei delle dello nel nella alla al e non più senza tra fra che di da si",
    ),
  ],
  [
    "pt",
    words(
      "os as é são como por quem quando qual quais onde com para uma um do da dos das no na nos nas ao e não mais sem entre sobre que meu minha",
    ),
  ],
  [
    "nl",
    words(
      "het een van voor met hoe wat waarom wie wanneer waar welke zijn is niet en of op bij naar over uit te door dit dat deze die mijn ik",
    ),
  ],
  [
    "sv",
    words("och är hur vad varför vem när vilka vilken att det som för på med av till från inte ett den mitt mina"),
  ],
  [
    "da",
    words("og er hvordan hvad hvorfor hvem hvornår hvor hvilke at det som for på med af til fra ikke et den mit mine"),
  ],
  ["no", words("og er hvordan hva hvorfor hvem når hvor hvilke å det som for på med av til fra ikke et den mitt mine")],
  [
    "fi",
    words("ja on ovat miten mikä mitä miksi kuka milloin missä ei se että tai kun mutta minun ovatko onko kuinka"),
  ],
  ["hu", words("az és hogyan mi miért ki mikor hol melyik nem egy hogy van vannak vagy de mit")],
  ["ro", words("și este sunt cum ce cine când unde care cu pentru din nu o un la pe despre mai fără între")],
  ["tr", words("ve bir nasıl ne neden kim nerede hangi için ile değil mi mı mu mü bu şu daha en nedir")],
  ["id", words("dan yang adalah bagaimana apa mengapa siapa kapan dimana dengan untuk dari di ke tidak ini itu pada")],
]);

const ENGLISH = new Set([
  ...(LISTS.get("en") ?? []),
  "a",
  "in",
  "on",
  "no",
  "an",
  "so",
  "we",
  "me",
  "he",
  "am",
  "die",
  "do",
]);

/** By language; what is English too counts for English alone. */
export const FUNCTION_WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...LISTS].map(([language, list]) => [
    language,
    language === "en" ? ENGLISH : new Set([...list].filter((word) => !ENGLISH.has(word))),
  ]),
);
