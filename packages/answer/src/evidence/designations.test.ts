import { expect, it } from "vitest";
import { namesDesignations } from "./designations.ts";

it.each([
  ["When was Python 3.11 released?", "What is new in Python 3.11.", true],
  ["When was Python 3.11 released?", "python-3.11.2 is out", true],
  ["When was Python 3.1 released?", "Python 3.11", false],
  ["When was Python 3.11 released?", "Python 3.1", false],
  ["What does PEP 8 say?", "See PEP 484 and PEP 80.", false],
  ["What began World War 2?", "World War II began in 1939.", true],
  ["Who won in May 2019, on 5 May 12?", "Nobody won.", true],
  ["how much is a 72 oz steak", "It is cheap.", true],
])("%s: %s", (question, text, is) => expect(namesDesignations(question, text)).toBe(is));
