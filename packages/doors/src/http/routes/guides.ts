import path from "node:path";
import { readStaticFiles, type StaticFile } from "../static-files.ts";

/** One page of the documentation. */
export interface Guide {
  /** Its name below /docs/, without `.md`. */
  readonly name: string;
  readonly title: string;
  readonly markdown: string;
}

/** The documentation that comes with the program. */
export interface Guides {
  readonly pages: readonly Guide[];
  /** What the pages show, by path below /docs/. */
  readonly pictures: ReadonlyMap<string, StaticFile>;
}

/** Reads every page and picture below a directory, once. One that is not there, as in a bundle alone, has none. */
export async function readGuides(directory: string | undefined): Promise<Guides> {
  const files = directory === undefined ? new Map<string, StaticFile>() : await readStaticFiles(directory);
  const pages = [...files].flatMap(([name, { body }]): Guide[] => {
    if (path.extname(name) !== ".md") return [];
    const markdown = body.toString("utf8");
    return [{ name: name.slice(0, -".md".length), title: /^# (.+)$/m.exec(markdown)?.[1] ?? name, markdown }];
  });
  const order = ({ name }: Guide): string => `${name.includes("/") ? 1 : 0}${name}`; // decisions after guides
  return {
    pages: pages.sort((one, other) => (order(one) < order(other) ? -1 : 1)),
    pictures: new Map([...files].filter(([name]) => path.extname(name) === ".png")),
  };
}

/** Links to the pages that tell how to use the server, as lines of Markdown. */
export function listGuides({ pages }: Guides): readonly string[] {
  return pages.filter(({ name }) => !name.includes("/")).map(({ name, title }) => `- [${title}](/docs/${name}.md)`);
}

/** Whether a client would rather read Markdown than a page for browsers. */
export function prefersMarkdown(accept: string | undefined): boolean {
  const weights = new Map(
    (accept ?? "").split(",").map((part): [string, number] => {
      const [type = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith("q="));
      return [type, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
    }),
  );
  const markdown = weights.get("text/markdown") ?? 0;
  return markdown > 0 && markdown >= (weights.get("text/html") ?? 0);
}

interface OpenApiOperation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
}

/** The API as a page of Markdown: every route by its part, with what it does. */
export function describeApi(document: unknown, guides: Guides): string {
  const { info, paths } = document as {
    readonly info: { readonly title: string; readonly version: string; readonly description: string };
    readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  };
  const parts = new Map<string, string[]>();
  for (const [route, operations] of Object.entries(paths)) {
    for (const [method, { tags, summary = "", description }] of Object.entries(operations)) {
      const tag = tags?.[0] ?? "Other";
      const more = description === undefined ? "" : ` ${description}`;
      parts.set(tag, [...(parts.get(tag) ?? []), `- \`${method.toUpperCase()} ${route}\`: ${summary}.${more}`]);
    }
  }
  return [
    `# ${info.title} API ${info.version}`,
    info.description,
    "A key goes into `x-api-key` or `Authorization: Bearer`. [/openapi.json](/openapi.json) has every schema.",
    ...(guides.pages.length === 0 ? [] : ["## Guides", listGuides(guides).join("\n")]),
    ...[...parts].flatMap(([tag, lines]) => [`## ${tag}`, lines.join("\n")]),
  ]
    .join("\n\n")
    .concat("\n");
}

/** A page for browsers that shows Markdown as it is written: every link of it leads on. */
export function showMarkdown({ title, markdown }: Guide): string {
  const escaped = (text: string): string =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escaped(title)}</title>
  </head>
  <body>
    <pre>${escaped(markdown)}</pre>
  </body>
</html>
`;
}
