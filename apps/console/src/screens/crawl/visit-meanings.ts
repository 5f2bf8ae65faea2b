import type { Tone } from "../../ui/states.tsx";
import { say } from "../../words/say.ts";

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
  fetched: { tone: GOOD, words: say("crawl.readAndIndexed"), advice: "" },
  "not-modified": { tone: GOOD, words: say("crawl.unchangedSinceTheLastVisit"), advice: "" },
  redirected: {
    tone: "idle",
    words: say("crawl.leadsToAnotherPage"),
    advice: say("crawl.thePageItLeadsTo"),
  },
  noindex: {
    tone: CHOICE,
    words: say("crawl.asksNotToBeIndexed"),
    advice: say("crawl.itsOwnerSaysSoIn"),
  },
  robots: {
    tone: CHOICE,
    words: say("crawl.robotsTxtForbidsIt"),
    advice: say("crawl.askTheSitesOwnerOr"),
  },
  "private-address": {
    tone: CHOICE,
    words: say("crawl.leadsToAPrivateAddress"),
    advice: say("crawl.nameTheHostInQUARRY"),
  },
  "redirected-away": {
    tone: CHOICE,
    words: say("crawl.leadsOutOfTheCrawls"),
    advice: say("crawl.startACrawlThereOr"),
  },
  "not-there": {
    tone: FAULT,
    words: say("crawl.theSiteHasNoSuch"),
    advice: say("crawl.seeWhichPageLinksTo"),
  },
  gone: { tone: FAULT, words: say("crawl.thePageWasRemoved410"), advice: say("crawl.nothingToDoItIs") },
  "access-denied": {
    tone: FAULT,
    words: say("crawl.theSiteRefusesAccess"),
    advice: say("crawl.itWantsASignIn"),
  },
  "http-error": {
    tone: FAULT,
    words: say("crawl.theSiteAnsweredWithAn"),
    advice: say("crawl.openThePageInA"),
  },
  "rate-limited": {
    tone: FAULT,
    words: say("crawl.theSiteAskedUsTo"),
    advice: say("crawl.crawlAgainWithALonger"),
  },
  "server-error": { tone: FAULT, words: say("crawl.theSiteFailed5xx"), advice: say("crawl.crawlAgainLater") },
  timeout: { tone: FAULT, words: say("crawl.noAnswerInTime"), advice: say("crawl.crawlAgainLaterOrWith") },
  unreachable: {
    tone: FAULT,
    words: say("crawl.theSiteCouldNotBe"),
    advice: say("crawl.checkTheHostsNameAnd"),
  },
  "robots-unreachable": {
    tone: FAULT,
    words: say("crawl.robotsTxtCouldNotBe"),
    advice: say("crawl.untilItCanBeThe"),
  },
  "bad-url": {
    tone: FAULT,
    words: say("crawl.notAnAddressWeCan"),
    advice: say("crawl.onlyHttpAndHttpsAddresses"),
  },
  empty: { tone: FAULT, words: say("crawl.thePageIsEmpty"), advice: say("crawl.itMayNeedABrowser") },
  "unsupported-type": {
    tone: CHOICE,
    words: say("crawl.notAKindOfFile"),
    advice: say("crawl.hTMLTextPDFDOCXPPTX"),
  },
  "too-large": { tone: FAULT, words: say("crawl.tooLarge"), advice: say("crawl.importItAsAFile") },
  unreadable: {
    tone: FAULT,
    words: say("crawl.noTextCouldBeTaken"),
    advice: say("crawl.openItsStoredCopyAnd"),
  },
  "redirect-loop": { tone: FAULT, words: say("crawl.redirectsInACircle"), advice: say("crawl.aFaultOfTheSite") },
  "too-many-redirects": { tone: FAULT, words: say("crawl.redirectsOnAndOn"), advice: say("crawl.aFaultOfTheSite") },
  "bad-redirect": { tone: FAULT, words: say("crawl.redirectsToNowhere"), advice: say("crawl.aFaultOfTheSite") },
};

/** What a visit's status means; one we do not know speaks for itself. */
export function meaningOfVisit(status: string): VisitMeaning {
  return MEANINGS[status] ?? { tone: "idle", words: status, advice: "" };
}
