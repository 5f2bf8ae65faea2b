/** A fenced block of a document. */
export interface CodeBlock {
  readonly language: string;
  readonly code: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
}

/** A link or image of a document, as written. */
export interface DocumentLink {
  readonly target: string;
  readonly line: number;
}

/** The fenced blocks of a Markdown text, in order. */
export function codeBlocksOf(text: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { fence: string; language: string; line: number; lines: string[] } | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const fence = /^\s*(`{3,}|~{3,})\s*([\w-]*)/.exec(line);
    if (open === undefined) {
      if (fence !== null) open = { fence: fence[1] ?? "", language: fence[2] ?? "", line: index + 1, lines: [] };
    } else if (fence?.[1]?.startsWith(open.fence) === true && fence[2] === "") {
      blocks.push({ language: open.language, code: open.lines.join("\n"), line: open.line });
      open = undefined;
    } else {
      open.lines.push(line);
    }
  }
  return blocks;
}

/** The code spans of a Markdown text, such as `npm start`. */
export function codeSpansOf(text: string): readonly Omit<CodeBlock, "language">[] {
  return withoutFences(text)
    .split("\n")
    .flatMap((line, index) =>
      [...line.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => ({ code: code.trim(), line: index + 1 })),
    );
}

/** The links and images of a Markdown text outside code, reference definitions included. */
export function linksOf(text: string): readonly DocumentLink[] {
  return withoutCode(text)
    .split("\n")
    .flatMap((line, index) => {
      const inline = [...line.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
      const reference = [...line.matchAll(/^\s*\[[^\]]+\]:\s*<?([^\s>]+)>?/g)];
      const html = [...line.matchAll(/\b(?:src|href)="([^"]+)"/g)];
      return [...inline, ...reference, ...html].map((match) => ({ target: match[1] ?? "", line: index + 1 }));
    });
}

/** The anchors that the headings of a Markdown text make, as the repository hosts name them. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading] of withoutFences(text).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const slug = (heading ?? "")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-");
    let anchor = slug;
    for (let repeat = 1; anchors.has(anchor); repeat += 1) anchor = `${slug}-${repeat}`;
    anchors.add(anchor);
  }
  return anchors;
}

function withoutCode(text: string): string {
  return withoutFences(text).replaceAll(/`[^`\n]*`/g, "");
}

/** Blanks fenced blocks, keeping the line numbers. */
function withoutFences(text: string): string {
  let fence: string | undefined;
  return text
    .split("\n")
    .map((line) => {
      const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
      if (fence === undefined) {
        if (mark === undefined) return line;
        fence = mark;
      } else if (mark?.startsWith(fence) === true) {
        fence = undefined;
      }
      return "";
    })
    .join("\n");
}
