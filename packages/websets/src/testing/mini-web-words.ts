/** A place and the country it lies in, as pages write them. */
export interface Place {
  readonly city: string;
  readonly country: string;
}

export const PLACES: readonly Place[] = [
  { city: "Munich", country: "Germany" },
  { city: "Leipzig", country: "Germany" },
  { city: "Hamburg", country: "Germany" },
  { city: "Lyon", country: "France" },
  { city: "Nantes", country: "France" },
  { city: "Utrecht", country: "Netherlands" },
  { city: "Tallinn", country: "Estonia" },
  { city: "Gothenburg", country: "Sweden" },
  { city: "Porto", country: "Portugal" },
  { city: "Toronto", country: "Canada" },
  { city: "Austin", country: "United States" },
  { city: "Boston", country: "United States" },
  { city: "Osaka", country: "Japan" },
  { city: "Bangalore", country: "India" },
];

export const PRODUCTS = [
  "industrial drones",
  "payroll software",
  "heat pumps",
  "water sensors",
  "surgical robots",
  "electric bikes",
] as const;

export const FIRST_PARTS =
  "Bright Cobalt Delta Ember Fjord Granite Halcyon Indigo Juniper Kestrel Larch Meridian Nimbus Onyx Pinnacle Quill Raven Sable Tundra Umber Vertex Willow Yarrow Zephyr".split(
    " ",
  );
export const SECOND_PARTS = "forge works labs grid point field stack wave line craft spark bridge".split(" ");
export const SUFFIXES = ["", "", "", " GmbH", " Inc.", " Ltd", " AB", " Labs"];

/** Sentences that say nothing of any criterion; pages are full of them. */
export const FILLERS = [
  "Our customers tell us that working with us feels like having an extra pair of hands in the workshop.",
  "We believe that good tools should be quiet, dependable and easy to repair.",
  "Every project starts with a conversation about what you want to achieve and what has not worked so far.",
  "Read our guides to learn how teams plan a rollout, train colleagues and measure what changes.",
  "Support answers within one working day, usually faster, and never with a copied paragraph.",
  "The workshop is open to visitors on the first Thursday of every month; coffee is on the house.",
  "We publish a short newsletter with field notes, mistakes included, and no advertising.",
  "Our documentation is written by the people who build the product, which is why it is blunt at times.",
  "Deliveries leave the warehouse twice a week and can be tracked from the customer area.",
  "What matters most to us is that things keep working after the invoice has been paid.",
  "A pilot usually takes four weeks, and about half of that time goes into talking to the people on site.",
  "Partners get early access to plans, test units and the people who know the details.",
];

/** Lines of fact tables that say nothing of any criterion. */
export const FACT_FILLERS = [
  "Opening hours: Monday to Friday, 9 to 17",
  "Support languages: English, French, Spanish",
  "Delivery time: usually three weeks",
  "Press contact: press office, by mail",
  "Payment: invoice or card",
];
