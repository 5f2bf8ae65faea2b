import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../limits.ts";
import { extractHtml } from "./extract-html.ts";
import { keepSections } from "./keep-sections.ts";
import { parsePage } from "./parse-page.ts";
import { findBlocks } from "./text-blocks.ts";

const NAV = `<nav class="navbar"><a href="/">Lumen</a><ul><li><a href="/pricing">Plans</a></li><li><a href="/jobs">Careers</a></li></ul></nav>`;
const FOOTER = `<footer class="footer"><h5>Product</h5><ul><li><a href="/features">Features</a></li><li><a href="/imprint">Imprint</a></li></ul><p>© 2024 Lumen GmbH. All rights reserved.</p></footer>`;
const STORY = `<section><div class="container"><h1>About Lumen</h1><p class="lead">We build accounting software for small workshops that would rather build things than chase receipts.</p>
  <h2>Our story</h2><p>Lumen was founded in 2014 in Nuremberg by two former auditors who had seen too many shoeboxes full of receipts.</p>
  <p>Since then more than nine thousand workshops in Germany, Austria and Switzerland have moved their books to us, and most have stayed.</p></div></section>`;

/** The text of a company's page with something below its story. */
function textBelowStory(parts: string): string {
  const html = `<html lang="en"><title>About - Lumen</title><body>${NAV}<main>${STORY}<section><div class="container">${parts}</div></section></main>${FOOTER}</body></html>`;
  return extractHtml({ url: "https://lumen.example/about", html, now: new Date("2030-01-01") }).text;
}

describe("the short parts of a company's page", () => {
  it.each([
    [
      "a team",
      `<h2>Leadership team</h2><div class="row">${[
        "Miriam Osterkamp,Chief Executive Officer",
        "Jonas Mbeki,VP Sales",
        "Aylin Demir,Head of People",
      ]
        .map((member) => member.split(","))
        .map(
          ([name = "", role = ""]) =>
            `<div class="col-md-4"><div class="card"><img src="/x.jpg" alt=""><div class="card-body"><h4 class="card-title">${name}</h4><p class="card-text text-muted">${role}</p></div></div></div>`,
        )
        .join("")}</div>`,
      "Leadership team\n\nMiriam Osterkamp\n\nChief Executive Officer\n\nJonas Mbeki\n\nVP Sales\n\nAylin Demir\n\nHead of People",
    ],
    [
      "numbers",
      `<h2>By the numbers</h2><div class="row"><div class="col"><div class="stat">84</div><div class="label">employees</div></div><div class="col"><div class="stat">9,200</div><div class="label">customers</div></div></div>`,
      "By the numbers\n\n84\n\nemployees\n\n9,200\n\ncustomers",
    ],
    [
      "prices",
      `<h2>Plans</h2><div class="row"><div class="card"><h3>Starter</h3><div class="price">€0</div><p>5 invoices a month</p><button>Choose</button></div><div class="card"><h3>Team</h3><div class="price">€29</div><p>50 invoices a month</p><button>Choose</button></div></div>`,
      "Plans\n\nStarter\n\n€0\n\n5 invoices a month\n\nTeam\n\n€29\n\n50 invoices a month",
    ],
    [
      "facts",
      "<dl><dt>Founded</dt><dd>2014</dd><dt>Legal form</dt><dd>GmbH</dd></dl>",
      "Founded\n2014\n\nLegal form\nGmbH",
    ],
    [
      "a caption",
      '<figure><img src="/j.jpg" alt=""><figcaption>Jonas Mbeki, CEO</figcaption></figure>',
      "Jonas Mbeki, CEO",
    ],
    ["a last line", "<p>HQ: Nuremberg, Germany.</p>", "HQ: Nuremberg, Germany."],
    ["a line to write to", '<p><a href="mailto:hello@lumen.example">Email us</a></p>', "Email us"],
  ])("are kept: %s", (_name, parts, expected) => {
    expect(textBelowStory(parts)).toContain(`most have stayed.\n\n${expected}`);
  });

  it("keep the links by which the company is reached", () => {
    const html = `<html lang="en"><title>About - Lumen</title><body>${NAV}<main>${STORY}<p>Questions? <a href="mailto:hello@lumen.example?subject=Hi">Email us</a>
      or call <a href="tel:+49911123456">+49 911 123456</a>. <a href="https://www.linkedin.com/company/lumen"><i class="icon"></i></a></p>
      <p class="share"><a href="https://www.linkedin.com/sharing/share-offsite/?url=x"><i></i></a></p></main>
      <footer><p>© Lumen</p><a href="https://x.com/lumen"><i></i></a></footer></body></html>`;
    const { links, markdown } = extractHtml({ url: "https://lumen.example/about", html });
    expect(links.filter(({ inMain }) => inMain).map(({ url }) => url)).toEqual([
      "https://www.linkedin.com/company/lumen",
    ]);
    expect(markdown).toContain("[Email us](mailto:hello@lumen.example)");
    expect(markdown).toContain("[+49 911 123456](tel:+49911123456)");
  });

  it("are not what leads elsewhere", () => {
    const text = textBelowStory(
      `<div class="related-posts"><h3>Workshop of the month</h3></div><ul><li><a href="/a">Our blog</a></li><li><a href="/b">Our shop</a></li></ul><form><p>Your name</p></form>`,
    );
    expect(text.endsWith("most have stayed.")).toBe(true);
  });
});

const MANUAL_TEXT = [
  "Annotates each line in the given file with information from the revision which last modified the line, if any.",
  "Optionally, the command starts annotating from the given revision instead of from the one that is checked out.",
  "The origin of lines is followed across whole-file renames, and there is no option to turn the following off.",
]
  .map((sentence) => `<div class="paragraph"><p>${sentence}</p></div>`)
  .join("");

function textOfManual(head: string, inside = "", end = ""): string {
  const section = (title: string, body: string): string =>
    `<div class="sect1"><h2 id="_${title.toLowerCase().replace(" ", "_")}">${title}</h2><div class="sectionbody">${body}</div></div>`;
  const html = `<html lang="en"><head><title>quarry-blame(1)</title></head><body class="manpage"><div id="header"><h1>quarry-blame(1) Manual Page</h1>${head}</div>
    <div id="content">${section("SYNOPSIS", "<pre>quarry blame [-c] [-b] &lt;file&gt;</pre>")}${section("DESCRIPTION", MANUAL_TEXT + inside + MANUAL_TEXT.replaceAll("the", "that"))}${end}</div>
    <div id="footer"><div id="footer-text">Last updated 2024-05-31</div></div></body></html>`;
  return extractHtml({ url: "http://localhost/quarry-blame.html", html, now: new Date("2030-01-01") }).text;
}

describe("the sections of a manual", () => {
  const name = '<h2>NAME</h2><div class="sectionbody"><p>quarry-blame - Show who last modified each line</p></div>';

  it("begin with the one that names what it is about", () => {
    expect(textOfManual(name)).toMatch(/^NAME\n\nquarry-blame - Show who last modified each line\n\nSYNOPSIS/);
  });

  it.each([
    ["a heading", "<h3>15.2.2. Simple File Archive</h3>"],
    [
      "a tip with its code",
      '<div class="sidebar"><p class="title"><strong>TIP</strong> Your name and address</p><div class="para">Most of the programs involved look for your name and address in the environment:</div><pre>export EMAIL="me@e.example"</pre></div>',
    ],
  ])("keep amid their text %s", (_name, inside) => {
    const words = inside
      .replace(/<\/(?:p|div|h3)>/g, "\n\n")
      .replace(/<[^>]+>/g, "")
      .trim();
    expect(textOfManual(name, inside)).toContain(`\n\n${words}\n\n`);
  });

  it("are complete to what they refer to, and end there", () => {
    const also =
      '<div class="sect1"><h2>SEE ALSO</h2><div class="sectionbody"><p><a href="quarry-log.html">quarry-log(1)</a> and <a href="quarry-show.html">quarry-show(1)</a></p></div></div>';
    expect(textOfManual(name, "", also)).toMatch(/\n\nSEE ALSO\n\nquarry-log\(1\) and quarry-show\(1\)$/);
  });
});

it("looks at each block a few times, however many there are", () => {
  const html = `<main>${"<h2>a</h2><div><div>b</div></div>".repeat(1_000)}</main>`;
  const page = findBlocks(parsePage(html, DEFAULT_LIMITS).root, DEFAULT_LIMITS);
  let reads = 0;
  const blocks = new Proxy([...page.blocks], {
    get: (target, key, receiver): unknown => {
      reads += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  const options = {
    chances: new Float64Array(page.blocks.length).fill(0.5),
    guess: { kind: "article" as const, chance: 0.3 },
    isDeclared: false,
  };
  const selected = page.blocks.map((_, index) => index % 2 === 0);
  expect(keepSections({ ...page, blocks }, selected, options)).toEqual(selected.map(() => true));
  expect(reads).toBeLessThan(20 * page.blocks.length);
});
