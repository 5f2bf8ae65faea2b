import type { Tone } from "../../ui/states.tsx";

/** What the end of a visit means, and what to do about it. */
export interface VisitMeaning {
  readonly tone: Tone;
  readonly words: string;
  readonly advice: string;
}

const GOOD: Tone = "good";
const FAULT: Tone = "bad";
const CHOICE: Tone = "warn";

const MEANINGS: Readonly<Record<string, VisitMeaning>> = {
  fetched: { tone: GOOD, words: "Read and indexed", advice: "" },
  "not-modified": { tone: GOOD, words: "Unchanged since the last visit", advice: "" },
  redirected: {
    tone: "idle",
    words: "Leads to another page",
    advice: "The page it leads to is indexed under its own address.",
  },
  noindex: {
    tone: CHOICE,
    words: "Asks not to be indexed",
    advice: "Its owner says so in the page; that is respected.",
  },
  robots: {
    tone: CHOICE,
    words: "robots.txt forbids it",
    advice: "Ask the site's owner, or import the page as a file.",
  },
  "private-address": {
    tone: CHOICE,
    words: "Leads to a private address",
    advice: "Name the host in QUARRY_ALLOW_PRIVATE_HOSTS if you trust it.",
  },
  "redirected-away": {
    tone: CHOICE,
    words: "Leads out of the crawl's scope",
    advice: "Start a crawl there, or widen the scope to the domain.",
  },
  "not-there": {
    tone: FAULT,
    words: "The site has no such page (404)",
    advice: "See which page links to it, and check the address.",
  },
  gone: { tone: FAULT, words: "The page was removed (410)", advice: "Nothing to do: it is gone for good." },
  "access-denied": {
    tone: FAULT,
    words: "The site refuses access",
    advice: "It wants a sign-in or blocks crawlers. Import the page as a file instead.",
  },
  "http-error": {
    tone: FAULT,
    words: "The site answered with an error",
    advice: "Open the page in a browser to see why.",
  },
  "rate-limited": {
    tone: FAULT,
    words: "The site asked us to slow down",
    advice: "Crawl again with a longer pause between requests.",
  },
  "server-error": { tone: FAULT, words: "The site failed (5xx)", advice: "Crawl again later." },
  timeout: { tone: FAULT, words: "No answer in time", advice: "Crawl again later, or with a longer pause." },
  unreachable: {
    tone: FAULT,
    words: "The site could not be reached",
    advice: "Check the host's name and this machine's network.",
  },
  "robots-unreachable": {
    tone: FAULT,
    words: "robots.txt could not be read",
    advice: "Until it can be, the whole host counts as forbidden. Try again later.",
  },
  "bad-url": {
    tone: FAULT,
    words: "Not an address we can visit",
    advice: "Only http and https addresses are visited.",
  },
  empty: { tone: FAULT, words: "The page is empty", advice: "It may need a browser to show anything." },
  "unsupported-type": {
    tone: CHOICE,
    words: "Not a kind of file we read",
    advice: "HTML, text, PDF, DOCX, PPTX and EPUB are read.",
  },
  "too-large": { tone: FAULT, words: "Too large", advice: "Import it as a file if it matters." },
  unreadable: {
    tone: FAULT,
    words: "No text could be taken from it",
    advice: "Open its stored copy and see what is in it.",
  },
  "redirect-loop": { tone: FAULT, words: "Redirects in a circle", advice: "A fault of the site." },
  "too-many-redirects": { tone: FAULT, words: "Redirects on and on", advice: "A fault of the site." },
  "bad-redirect": { tone: FAULT, words: "Redirects to nowhere", advice: "A fault of the site." },
};

/** What a visit's status means; one we do not know speaks for itself. */
export function meaningOfVisit(status: string): VisitMeaning {
  return MEANINGS[status] ?? { tone: "idle", words: status, advice: "" };
}
