import type { JudgedDocument, JudgedQuery, JudgedSet } from "./search-sets.ts";

/**
 * A made-up set of the kind "which of these has X": lists of things that hardly differ in meaning, where only the very
 * word decides. For learning how far to trust words; made from a fixed seed, so that everybody learns from the same.
 */
export function makeAttributeSet(): JudgedSet {
  const random = makeRandom(20_261);
  const documents: JudgedDocument[] = [];
  const owners = new Map<string, string[]>();
  for (let number = 0; number < DOCUMENTS; number += 1) {
    const id = `maker-${number}`;
    const name = `${pick(FIRST, random)} ${pick(LAST, random)}`;
    const things = shuffle(THINGS, random).slice(0, THINGS_EACH);
    for (const thing of things) owners.set(thing, [...(owners.get(thing) ?? []), id]);
    documents.push({
      id,
      url: `https://makers.example/${id}`,
      title: null,
      text: `${name} ${pick(VERBS, random)} ${things.slice(0, -1).join(", ")} and ${things.at(-1) ?? ""}.`,
    });
  }
  const queries: JudgedQuery[] = [...owners].map(([thing, ids], number) => ({
    id: `thing-${number}`,
    text: `${pick(QUESTIONS, random)} ${thing}?`,
    relevant: new Map(ids.map((id) => [id, 1])),
  }));
  return { name: "attributes", documents, queries: { train: queries }, measure: "R@2", published: "made up" };
}

const DOCUMENTS = 60;
const THINGS_EACH = 12;
const FIRST = "Ada Bruno Chiara Dmitri Elif Farid Greta Hiro Ines Jonas Kamala Lucia Milan Nadia Oscar Paula".split(
  " ",
);
const LAST = "Abel Brandt Costa Duarte Eklund Ferrari Gruber Hansen Ivanov Jensen Kovac Lopez Moreau Novak".split(" ");
const VERBS = ["makes", "sells", "repairs", "collects"];
const QUESTIONS = ["Who makes", "Who sells", "Which one repairs", "Who has"];
const THINGS =
  "brass lanterns|rope ladders|wool blankets|pocket knives|garden gnomes|copper kettles|wooden spoons|silk scarves|paper kites|clay pots|tin soldiers|bird houses|fishing rods|music boxes|chess boards|snow shoes|leather belts|glass beads|straw hats|candle holders|door knobs|picture frames|rain barrels|bread knives|tea towels|oil lamps|wind chimes|cuckoo clocks|sewing needles|water wheels|iron gates|stone benches|rocking chairs|velvet curtains|marble tiles|cotton sheets|canvas tents|bicycle bells|ship models|globe maps|spinning tops|hand mirrors|salt mills|pepper grinders|coffee filters|juice presses|ice skates|roller blinds|saddle bags|violin bows|drum sticks|piano stools|guitar strings|flute cases|trumpet mutes|harp pedals|telescope lenses|camera straps|printing blocks|book covers|fountain pens|ink bottles|wax seals|rubber stamps|letter openers|desk lamps|wall clocks|shoe racks|umbrella stands|coat hangers|laundry baskets|soap dishes|shaving brushes|hair combs|perfume bottles|jewel cases|watch chains|cuff links|neck ties|winter gloves|rain coats|swim fins|diving masks|surf boards|climbing shoes|tennis nets|golf tees|bowling pins|dart boards|puppet strings|toy trains|rag dolls|marble runs|jigsaw puzzles|card tables|poker chips|bee hives|duck ponds|dog leashes|cat baskets|fish tanks|horse shoes|cow bells|sheep shears|hay forks|milk churns|cheese moulds|honey jars|jam pots|pie dishes|waffle irons|cake stands|sugar tongs|egg cups|butter knives|soup ladles|rice cookers|noodle makers|spice racks|vinegar flasks|wine corks|beer mugs|cider presses".split(
    "|",
  );

function pick<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("there is something to pick");
  return item;
}

function shuffle<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item);
}

/** Mulberry32: small, and the same everywhere. */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
