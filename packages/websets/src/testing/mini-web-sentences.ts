/** What a statement does to its criterion. Only `stated` is evidence for it; the others are traps. */
export type StatementKind = "stated" | "negated" | "other-entity" | "outdated";

/** What a page may speak of. */
export type Topic = "founded" | "place" | "employees" | "funding" | "certified" | "api" | "product";

/** Sentences with holes: {name} of the company, {other} of another one, {year}, {city}, {country}, {count}, {money}, {product}. */
export type SentenceTable = Readonly<Record<Topic, Readonly<Record<StatementKind, readonly string[]>>>>;

/** The sentences the rules were written against. */
export const DEV_SENTENCES: SentenceTable = {
  founded: {
    stated: [
      "{name} opened for business in {year} and was founded by a former teacher.",
      "The story of {name} began in {year}.",
      "Inception: {year}",
      "Two sisters established the company in {year}.",
      "Est. {year}: {name} has been around for a while.",
      "{name} was founded in {year} by two engineers.",
      "Founded in {year}, {name} has grown steadily since.",
      "The company was established in {year}.",
      "Founded: {year}",
      "We started {name} in {year} in a rented garage.",
    ],
    negated: ["{name} was not founded in {year}, as a trade magazine once wrote."],
    "other-entity": [
      "In {year}, {other} was founded next door.",
      "Our first customer, {other}, was established in {year}.",
      "{other} was founded in {year} and is one of our oldest suppliers.",
      "Our partner {other}, founded in {year}, supplies the motors.",
    ],
    outdated: ["The predecessor of {name} was founded in {year} and closed its doors long ago."],
  },
  place: {
    stated: [
      "You find our head office in {city}, {country}.",
      "{name} operates from its headquarters in {city}.",
      "Location: {city}, {country}",
      "The company is headquartered in {city}, in the heart of {country}.",
      "{name} ({city}, {country}) is located in an old mill; its headquarters have been there from the start.",
      "{name} is headquartered in {city}, {country}.",
      "Our headquarters are in {city}, {country}.",
      "Based in {city}, we serve customers worldwide.",
      "Headquarters: {city}, {country}",
      "{name} is a company based in {city}.",
    ],
    negated: [
      "{name} is not based in {city}, {country}, although many people think so.",
      "We do not have an office in {city}, {country}.",
    ],
    "other-entity": [
      "{other}, our sister brand, is headquartered in {city}, {country}.",
      "{other} is based in {city}, {country}.",
    ],
    outdated: [
      "{name} left {city}, {country}, where it was headquartered before.",
      "The former headquarters of {name} were in {city}, {country}.",
      "Until 2019 {name} was headquartered in {city}, {country}.",
      "{name} was formerly based in {city}, {country}, before it moved away.",
    ],
  },
  employees: {
    stated: [
      "{name} now has a workforce of {count}.",
      "{count} people are employed at {name}.",
      "The company has around {count} employees.",
      "Team size: {count} employees",
      "A team of {count} works on it every day.",
      "Headcount: {count}",
      "{name} has {count} employees.",
      "Today {count} people work at {name}.",
      "Employees: {count}",
      "We are a team of {count} people.",
      "{name} employs more than {count} people.",
    ],
    negated: ["{name} does not have {count} employees."],
    "other-entity": [
      "Our parent company {other} has {count} employees.",
      "{other} counts {count} employees today.",
      "{other} employs {count} people and builds our motors.",
      "Our customer {other} has {count} employees in nine countries.",
    ],
    outdated: [
      "{name} had {count} employees before the crisis.",
      "Ten years ago {count} people worked at {name}.",
      "Before the restructuring {name} used to employ {count} people.",
      "In 2011 {name} still had {count} employees.",
    ],
  },
  funding: {
    stated: [
      "Investors have backed {name} with {money}.",
      "{name} has received {money} in venture funding.",
      "A round of {money} was closed by {name} in May.",
      "Capital raised: {money}",
      "{name} announced that it has raised {money} from two funds.",
      "{money} of investment has gone into {name}.",
      "Our backers have invested {money} to date.",
      "{name} has raised {money} to date.",
      "The company raised a total of {money} from investors.",
      "Total funding: {money}",
      "We closed a {money} Series B last spring.",
    ],
    negated: ["{name} has never raised outside money.", "{name} has not raised {money}, contrary to reports."],
    "other-entity": [
      "{other} has received {money} in funding.",
      "Investors have backed {other} with {money}.",
      "{other} raised {money} last month.",
      "Our neighbour {other} announced a funding round of {money}.",
    ],
    outdated: [
      "{name} is looking to raise {money}.",
      "A round of {money} fell through.",
      "{name} planned to raise {money} but called the round off.",
      "{name} hopes to raise {money} next year.",
    ],
  },
  certified: {
    stated: [
      "{name} received its ISO 27001 certification in 2019 and renewed it last year.",
      "ISO 27001 certified",
      "Our processes are audited and certified according to ISO 27001.",
      "Being ISO 27001 certified, {name} handles data with care.",
      "Security: ISO 27001 certified",
      "{name} is ISO 27001 certified.",
      "We hold an ISO 27001 certificate, renewed every year.",
      "Our information security is certified to ISO 27001.",
      "Certifications: ISO 27001",
    ],
    negated: [
      "{name} has not been certified to ISO 27001.",
      "There is no ISO 27001 certificate for our sites.",
      "{name} is not ISO 27001 certified.",
      "We do not hold an ISO 27001 certificate.",
      "We work without an ISO 27001 certification.",
    ],
    "other-entity": [
      "Our data centre partner {other} is ISO 27001 certified.",
      "{other} holds an ISO 27001 certificate.",
    ],
    outdated: [
      "{name} used to be ISO 27001 certified.",
      "{name} let its ISO 27001 certificate lapse.",
      "{name} is working towards ISO 27001 certification.",
      "{name} was ISO 27001 certified until 2020.",
      "Our ISO 27001 certificate expired in 2021.",
      "{name} plans to become ISO 27001 certified.",
    ],
  },
  api: {
    stated: [
      "You get a public API with every plan.",
      "{name} has a public API.",
      "The public API is documented in full.",
      "Features: public API, single sign-on",
      "{name} offers a public API.",
      "Our public API is open to every customer.",
      "Developers can use the public API of {name}.",
    ],
    negated: [
      "{name} is sold without a public API.",
      "At {name} we never offered a public API.",
      "{name} does not offer a public API.",
      "There is no public API.",
      "A public API is not available.",
    ],
    "other-entity": [
      "{other} offers a public API that we recommend for billing.",
      "Unlike us, {other} offers a public API.",
    ],
    outdated: [
      "{name} closed its public API last year.",
      "{name} could offer a public API if enough people asked.",
      "{name} used to offer a public API.",
      "The public API of {name} was shut down in 2022.",
      "A public API is planned for next year.",
    ],
  },
  product: {
    stated: [
      "{name} is a leading producer of {product}.",
      "Our main business is {product}: we build them in small series.",
      "{name} builds {product} that last.",
      "{name} designs, builds and sells {product}.",
      "{name} makes {product}.",
      "We design and build {product}.",
      "{name} is a manufacturer of {product}.",
      "Our {product} are used in thirty countries.",
    ],
    negated: [
      "{name} isn't a manufacturer of {product}.",
      "{product} are not part of what {name} makes.",
      "{name} does not make {product}.",
      "We have never built {product}.",
    ],
    "other-entity": ["{other} makes {product}.", "If you need {product}, ask our friends at {other}."],
    outdated: [
      "Until 2016 {name} made {product}.",
      "{name} once built {product}.",
      "{name} used to make {product}.",
      "{name} stopped making {product} in 2018.",
    ],
  },
};

/** The sentences it is measured on: written with the others, before any rule, and never looked at while making rules. */
export const TEST_SENTENCES: SentenceTable = {
  founded: {
    stated: [
      "Since it was founded in {year}, {name} has kept to one idea.",
      "{name}, established in {year}, is still run by its founders.",
      "Year founded: {year}",
      "In {year}, three friends founded {name}.",
      "The firm dates back to {year}, when it was set up in a barn.",
    ],
    negated: ["Contrary to some directories, {name} was not established in {year}."],
    "other-entity": [
      "Our investor {other} was established in {year}.",
      "{other}, which was founded in {year}, runs the cafeteria.",
    ],
    outdated: ["An earlier company of the same name, dissolved long ago, was founded in {year}."],
  },
  place: {
    stated: [
      "{name} has its headquarters in {city}, {country}.",
      "The head office of {name} is located in {city}.",
      "HQ: {city}, {country}",
      "We are a {city}-based company.",
      "From our headquarters in {city}, {country}, we ship all over the world.",
    ],
    negated: [
      "{name} is no longer headquartered in {city}, {country}.",
      "Our headquarters are not in {city}, {country}.",
    ],
    "other-entity": [
      "The parent of our supplier, {other}, has its headquarters in {city}, {country}.",
      "{other} has its head office in {city}, {country}.",
    ],
    outdated: [
      "{name} was based in {city}, {country} until 2017.",
      "Previously headquartered in {city}, {country}, {name} has since moved.",
    ],
  },
  employees: {
    stated: [
      "With {count} employees, {name} is a mid-sized firm.",
      "Our staff of {count} takes care of everything.",
      "Number of employees: {count}",
      "Some {count} colleagues work for {name} today.",
      "{name} counts {count} employees.",
    ],
    negated: ["It is not true that {name} has {count} employees."],
    "other-entity": [
      "{other}, a customer of ours, has {count} employees.",
      "With {count} employees, {other} is our largest client.",
    ],
    outdated: ["At its peak in 2008, {name} had {count} employees.", "{name} once employed {count} people."],
  },
  funding: {
    stated: [
      "Investors have put {money} into {name} so far.",
      "{name} secured {money} in funding.",
      "Funding raised: {money}",
      "To date we have raised {money}.",
    ],
    negated: ["{name} is bootstrapped and has not raised any money.", "{name} did not raise {money}."],
    "other-entity": ["Last week {other} secured {money} in funding.", "{other}, a competitor, has raised {money}."],
    outdated: ["{name} intends to raise {money}.", "A planned round of {money} for {name} never closed."],
  },
  certified: {
    stated: [
      "{name} has been certified according to ISO 27001.",
      "All our sites are ISO 27001 certified.",
      "Certificates: ISO 27001, ISO 9001",
      "As an ISO 27001 certified company, we take care of your data.",
    ],
    negated: [
      "We are not certified to ISO 27001.",
      "{name} lacks ISO 27001 certification.",
      "{name} has no ISO 27001 certificate.",
    ],
    "other-entity": [
      "{other}, which hosts our servers, is certified to ISO 27001.",
      "Only {other} is ISO 27001 certified.",
    ],
    outdated: [
      "{name} lost its ISO 27001 certification in 2019.",
      "{name} was formerly ISO 27001 certified.",
      "We aim to be ISO 27001 certified by next summer.",
    ],
  },
  api: {
    stated: [
      "{name} provides a public API.",
      "A public API is available to all users.",
      "With our public API you can automate everything.",
    ],
    negated: ["{name} has no public API.", "We don't offer a public API.", "Sorry, a public API isn't available."],
    "other-entity": ["{other} provides a public API for maps.", "The public API of {other} is a good alternative."],
    outdated: [
      "{name} discontinued its public API in 2021.",
      "{name} previously offered a public API.",
      "{name} may offer a public API one day.",
    ],
  },
  product: {
    stated: [
      "{name} manufactures {product}.",
      "We produce {product} for small and large customers.",
      "{name} develops {product}.",
      "As a maker of {product}, {name} knows the trade.",
    ],
    negated: ["{name} doesn't make {product}.", "{name} neither makes nor sells {product}."],
    "other-entity": ["{other} manufactures {product}.", "Our partner {other} develops {product}."],
    outdated: ["{name} formerly made {product}.", "{name} no longer makes {product}."],
  },
};
