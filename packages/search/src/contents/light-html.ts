import { cutText } from "./cut-text.ts";

/**
 * Markdown, as extraction writes it, in a handful of tags: headings, paragraphs, lists, quotes, code, tables, links.
 * Whatever else stands in the text is escaped. Ends before `maxCharacters`, never inside a tag.
 */
export function toLightHtml(markdown: string, maxCharacters: number): string {
  const parts: string[] = [];
  let length = 0;
  for (const block of splitBlocks(markdown)) {
    const html = toHtml(block);
    const room = maxCharacters - length;
    if (html.length > room) {
      const rest = cutText(html, Math.max(0, room)).replace(/<[^<>]*$|&[^&;\s]*$/, "");
      if (rest !== "") parts.push(rest);
      break;
    }
    parts.push(html);
    length += html.length + 1;
  }
  return parts.join("\n");
}

type Block =
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "lines"; readonly lines: readonly string[] };

/** Fenced code, and runs of lines between blank ones. */
function splitBlocks(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let code: { fence: string; language: string; lines: string[] } | undefined;
  const flush = (): void => {
    if (lines.length > 0) blocks.push({ kind: "lines", lines });
    lines = [];
  };
  for (const line of markdown.split("\n")) {
    if (code !== undefined) {
      if (line.trim() !== code.fence) code.lines.push(line);
      else {
        blocks.push({ kind: "code", language: code.language, text: code.lines.join("\n") });
        code = undefined;
      }
      continue;
    }
    const fence = /^(?<fence>`{3,}|~{3,})(?<language>[\w+#.-]*)\s*$/.exec(line.trim())?.groups;
    if (fence !== undefined) {
      flush();
      code = { fence: fence["fence"] ?? "```", language: fence["language"] ?? "", lines: [] };
    } else if (line.trim() === "") flush();
    else lines.push(line);
  }
  if (code !== undefined) blocks.push({ kind: "code", language: code.language, text: code.lines.join("\n") });
  flush();
  return blocks;
}

function toHtml(block: Block): string {
  if (block.kind === "code") {
    const language = block.language === "" ? "" : ` class="language-${escape(block.language)}"`;
    return `<pre><code${language}>${escape(block.text)}</code></pre>`;
  }
  const { lines } = block;
  const first = lines[0] ?? "";
  const heading = /^(?<marks>#{1,6}) (?<text>.*)$/.exec(first)?.groups;
  if (heading !== undefined && lines.length === 1) {
    const level = heading["marks"]?.length ?? 1;
    return `<h${level}>${inline(heading["text"] ?? "")}</h${level}>`;
  }
  if (lines.every((line) => line.startsWith("|"))) return toTable(lines);
  if (lines.every((line) => ITEM.test(line) || /^\s+\S/.test(line))) return toList(lines);
  if (lines.every((line) => line.startsWith(">"))) {
    return `<blockquote>${lines.map((line) => inline(line.replace(/^>\s?/, ""))).join("<br>")}</blockquote>`;
  }
  return `<p>${lines.map(inline).join("<br>")}</p>`;
}

const ITEM = /^\s*(?:[-*+]|(?<number>\d{1,9})[.)]) /;

function toList(lines: readonly string[]): string {
  const tag = ITEM.exec(lines[0] ?? "")?.groups?.["number"] === undefined ? "ul" : "ol";
  return `<${tag}>${lines.map((line) => `<li>${inline(line.replace(ITEM, "").trim())}</li>`).join("")}</${tag}>`;
}

function toTable(lines: readonly string[]): string {
  const rows = lines.filter((line) => !/^\|[\s:|-]+\|?$/.test(line));
  const cellsOf = (line: string): readonly string[] =>
    line
      .replace(/^\||\|$/g, "")
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
  const tags = rows.length < lines.length ? (row: number): string => (row === 0 ? "th" : "td") : (): string => "td";
  const write = (line: string, row: number): string =>
    `<tr>${cellsOf(line)
      .map((cell) => `<${tags(row)}>${inline(cell)}</${tags(row)}>`)
      .join("")}</tr>`;
  return `<table>${rows.map(write).join("")}</table>`;
}

/** Links and emphasis; only addresses of the web become links. */
function inline(text: string): string {
  return escape(text)
    .replace(/!?\[([^\][]{0,2000})\]\((https?:[^()\s]{1,2000})\)/g, (_, words: string, url: string) =>
      words === "" ? "" : `<a href="${url}">${words}</a>`,
    )
    .replace(/\*\*([^*\n]{1,2000})\*\*/g, "<strong>$1</strong>")
    .replace(/`([^`\n]{1,2000})`/g, "<code>$1</code>");
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign);
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
