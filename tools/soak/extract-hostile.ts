/** How long one of them may take on a machine that is busy with other work; a hang takes longer. */
export const MAX_HOSTILE_MS = 60_000;

/** Pages made to hurt, by name: each is built only when it is asked for. */
export const HOSTILE_PAGES: readonly (readonly [string, () => string])[] = [
  [
    "20 MB of paragraphs",
    () => `<body>${"<p>The same sentence over and over, of some length.</p>".repeat(380_000)}</body>`,
  ],
  ["20 MB of one text", () => `<p>${"words ".repeat(3_500_000)}`],
  ["20 MB of references", () => `<p>${"&amp;".repeat(4_000_000)}`],
  ["200 deep", () => `<body>${"<div>".repeat(200)}text at the bottom${"</div>".repeat(200)}</body>`],
  ["100,000 deep", () => `<body>${"<div>".repeat(100_000)}text at the bottom</body>`],
  ["100,000 lists deep", () => `<body>${"<ul><li>".repeat(50_000)}text at the bottom</body>`],
  ["100,000 tables deep", () => `<body>${"<table><tr><td>".repeat(33_000)}text at the bottom</body>`],
  ["100,000 quotes deep", () => `<body>${"<blockquote>".repeat(100_000)}text at the bottom</body>`],
  ["a million links", () => `<body>${'<a href="/x">link</a> '.repeat(1_000_000)}</body>`],
  ["a million items of microdata", () => `<body>${'<b itemscope><i itemprop="a">x</i></b>'.repeat(300_000)}</body>`],
  ["unclosed inline", () => `<p>${"<b><i>".repeat(200_000)}text</p>${"</div>".repeat(200_000)}`],
  ["a list of 100,000 numbered items", () => `<ol>${"<li>one item of the list</li>".repeat(100_000)}</ol>`],
  ["one tag with a million attributes", () => `<p ${'class="x" '.repeat(1_000_000)}>text</p>`],
  [
    "an attribute of 10 MB",
    () => `<p class="${"word-".repeat(2_000_000)}">text</p><p id="${"a ".repeat(1_000_000)}">x</p>`,
  ],
  ["a title of 10 MB", () => `<title>${"word - ".repeat(1_500_000)}</title><h1>${"word ".repeat(2_000_000)}</h1>`],
  [
    "JSON-LD nested deep",
    () => `<script type="application/ld+json">${"[".repeat(200_000)}${"]".repeat(200_000)}</script>`,
  ],
  ["less-than signs", () => "<".repeat(5_000_000)],
  ["comments that never end", () => "<!--".repeat(2_000_000)],
  ["dashes in a comment", () => `<!--${"-".repeat(10_000_000)}`],
  ["end tags in a script", () => `<script>${"</scrip>".repeat(1_500_000)}`],
  ["white space", () => `<p>${" \n".repeat(5_000_000)}x</p>`],
  ["white space, kept", () => `<pre>x${" \n".repeat(5_000_000)}x</pre><pre>${" ".repeat(3_000_000)}x</pre>`],
  [
    "white space in attributes",
    () => {
      const blanks = " ".repeat(10_000_000);
      return `<meta http-equiv="refresh" content="5;${blanks}x"><p>A text. <img src="/x.png" alt="a${blanks}b">`;
    },
  ],
  ["white space in a list of names", () => `<p itemscope itemtype="a${" ".repeat(10_000_000)}b">A text.</p>`],
  ["white space in an address", () => `<p>A text. <img srcset="/x.png${" ".repeat(10_000_000)}2x">`],
  ["white space in 100,000 elements", () => `<p>A text. ${"<b> </b>".repeat(100_000)}x</p>`],
  ["digits", () => `<main><p>${"1".repeat(1_900_000)}</p></main>`],
  ["JSON-LD of blanks", () => `<script type="application/ld+json">[${" ".repeat(990_000)}x</script>`],
  ["JSON-LD of quotes", () => `<script type="application/ld+json">{"${'\\"'.repeat(490_000)}</script>`],
  ["commas", () => `<p class="author">${"By a, ".repeat(500_000)}</p><time>${"1".repeat(1_000_000)}</time>`],
];
