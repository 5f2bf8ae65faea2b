/** A small library of our own, and questions whose answers are known: each names the page that answers it. */
export const PAGES: readonly { readonly slug: string; readonly title: string; readonly text: string }[] = [
  {
    slug: "heron",
    title: "Grey heron",
    text: "The grey heron is a long-legged wading bird. It stands still in shallow water and stabs at fish and frogs.",
  },
  {
    slug: "owl",
    title: "Barn owl",
    text: "Barn owls hunt mice and voles at night, guided by their hearing. They nest in church towers and hollow trees.",
  },
  {
    slug: "bee",
    title: "Honey bee",
    text: "A honey bee colony has one queen and thousands of workers. Foragers dance to tell others where flowers are.",
  },
  {
    slug: "sourdough",
    title: "Sourdough bread",
    text: "Sourdough rises with wild yeast and lactic bacteria instead of baker's yeast. Feed the starter with flour and water every day.",
  },
  {
    slug: "espresso",
    title: "Espresso",
    text: "Espresso is brewed by pressing hot water through finely ground coffee at nine bars for about twenty-five seconds.",
  },
  {
    slug: "risotto",
    title: "Risotto",
    text: "Toast the rice in butter, add wine, then broth a ladle at a time, stirring until the grains are creamy.",
  },
  {
    slug: "tcp",
    title: "TCP congestion control",
    text: "A TCP sender grows its window until packets are lost, then halves it. Slow start doubles the window every round trip.",
  },
  {
    slug: "btree",
    title: "B-trees",
    text: "A B-tree keeps keys sorted in wide nodes, so that a database finds a row with few disk reads. Inserts split full nodes.",
  },
  {
    slug: "raft",
    title: "Raft consensus",
    text: "In Raft a leader appends entries to its log and copies them to followers. An entry is committed when a majority has it.",
  },
  {
    slug: "borrow",
    title: "The borrow checker",
    text: "Rust allows many shared references or one mutable reference to a value. The compiler rejects programs that could use freed memory.",
  },
  {
    slug: "gc",
    title: "Garbage collection",
    text: "A tracing garbage collector marks objects that are reachable and reclaims the rest. Generational collectors scan young objects more often.",
  },
  {
    slug: "quicksort",
    title: "Quicksort",
    text: "Quicksort partitions a list around a pivot and sorts both sides. Its worst case is quadratic, its average n log n.",
  },
  {
    slug: "vaccine",
    title: "How vaccines work",
    text: "A vaccine shows the immune system a harmless part of a germ, so that memory cells answer quickly when the real one comes.",
  },
  {
    slug: "migraine",
    title: "Migraine",
    text: "A migraine is a throbbing headache, often on one side, with nausea and a dislike of light. Triptans relieve an attack.",
  },
  {
    slug: "vitamin-d",
    title: "Vitamin D",
    text: "The skin makes vitamin D in sunlight. It helps the gut take up calcium; too little weakens the bones.",
  },
  {
    slug: "eclipse",
    title: "Solar eclipse",
    text: "A solar eclipse happens when the moon passes between the sun and the earth and its shadow falls on the ground.",
  },
  {
    slug: "tides",
    title: "Tides",
    text: "The pull of the moon raises the sea on both sides of the earth, so most coasts have two high waters a day.",
  },
  {
    slug: "volcano",
    title: "Volcanoes",
    text: "Magma rises where plates part or one dives below another. Gas in thick magma makes eruptions explosive.",
  },
  {
    slug: "inflation",
    title: "Inflation",
    text: "Inflation is a lasting rise of prices. Central banks raise interest rates to slow it, which makes borrowing dearer.",
  },
  {
    slug: "index-fund",
    title: "Index funds",
    text: "An index fund buys all shares of a market index, so it costs little and follows the market instead of beating it.",
  },
  {
    slug: "copyright",
    title: "Copyright",
    text: "Copyright gives authors the sole right to copy and sell their works for a time, commonly seventy years after death.",
  },
  {
    slug: "bauhaus",
    title: "Bauhaus",
    text: "The Bauhaus, founded in Weimar in 1919 by Walter Gropius, joined crafts and fine arts and shaped modern design.",
  },
  {
    slug: "fugue",
    title: "Fugue",
    text: "In a fugue one voice states a subject and others answer it in turn. Bach's Art of Fugue explores the form.",
  },
  {
    slug: "error-e1027",
    title: "Error E1027",
    text: "The washing machine shows E1027 when the door lock does not answer. Switch it off, check the plug, replace the lock.",
  },
];

/** Questions in words of their own, in the pages' words, and by a name that only one page has. */
export const QUESTIONS: readonly { readonly query: string; readonly slug: string }[] = [
  { query: "which bird catches fish by standing still", slug: "heron" },
  { query: "nocturnal bird that eats rodents", slug: "owl" },
  { query: "how do insects communicate where nectar is", slug: "bee" },
  { query: "baking without commercial yeast", slug: "sourdough" },
  { query: "pressure for brewing coffee", slug: "espresso" },
  { query: "creamy italian rice dish", slug: "risotto" },
  { query: "what happens when packets are lost", slug: "tcp" },
  { query: "data structure for database indexes", slug: "btree" },
  { query: "agreement between replicated servers", slug: "raft" },
  { query: "memory safety without garbage collector", slug: "borrow" },
  { query: "reclaim unreachable objects", slug: "gc" },
  { query: "sorting algorithm pivot", slug: "quicksort" },
  { query: "immunity after injection", slug: "vaccine" },
  { query: "severe headache with nausea", slug: "migraine" },
  { query: "sunshine and strong bones", slug: "vitamin-d" },
  { query: "when the moon hides the sun", slug: "eclipse" },
  { query: "why does the sea rise twice a day", slug: "tides" },
  { query: "cost of living keeps going up", slug: "inflation" },
  { query: "cheap way to invest in the whole stock market", slug: "index-fund" },
  { query: "how long are books protected after the author dies", slug: "copyright" },
  { query: "german school of design Gropius", slug: "bauhaus" },
  { query: "E1027", slug: "error-e1027" },
];
