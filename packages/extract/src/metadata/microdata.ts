import { collapseSpaces, textOf, type PageElement } from "../html/page-tree.ts";

/** An item of HTML microdata: its types and its properties, each a list of texts, addresses or items. */
export interface MicrodataItem {
  readonly type: readonly string[];
  readonly id?: string;
  readonly properties: Readonly<Record<string, readonly MicrodataValue[]>>;
}

/** The value of a property. */
export type MicrodataValue = string | MicrodataItem;

const MAX_PROPERTIES = 500;
const MAX_VALUE_CHARS = 5_000;
const MAX_DEPTH = 12;

/** What reading microdata needs of the page. */
export interface MicrodataContext {
  /** Makes addresses absolute. */
  readonly resolve: (href: string) => string | undefined;
  /** Elements that items may name by `itemref`. */
  readonly byId: ReadonlyMap<string, PageElement>;
}

/** Reads the top-level items of a page. */
export function readMicrodata(items: readonly PageElement[], context: MicrodataContext): readonly MicrodataItem[] {
  return items.map((item) => readItem(item, context, 0));
}

function readItem(root: PageElement, context: MicrodataContext, depth: number): MicrodataItem {
  const properties = new Map<string, MicrodataValue[]>();
  const referred = namesIn(root.attributes["itemref"]).flatMap((id) => {
    const element = context.byId.get(id);
    return element === undefined || element === root ? [] : [element];
  });
  const visited = new Set<PageElement>([root]);
  let count = 0;
  const queue: PageElement[] = [...childElements(root), ...referred].reverse();
  for (let element = queue.pop(); element !== undefined && count < MAX_PROPERTIES; element = queue.pop()) {
    if (visited.has(element)) continue;
    visited.add(element);
    const { attributes } = element;
    const isItem = attributes["itemscope"] !== undefined;
    const names = namesIn(attributes["itemprop"]);
    if (names.length > 0) {
      count += 1;
      const value =
        isItem && depth < MAX_DEPTH ? readItem(element, context, depth + 1) : valueOf(element, context.resolve);
      for (const name of names) {
        const values = properties.get(name);
        if (values === undefined) properties.set(name, [value]);
        else values.push(value);
      }
    }
    if (!isItem) queue.push(...childElements(element).reverse());
  }
  const type = namesIn(root.attributes["itemtype"]);
  const id = root.attributes["itemid"];
  return { type, ...(id === undefined ? {} : { id }), properties: Object.fromEntries(properties) };
}

/** The names of an attribute that holds a list of them. */
function namesIn(attribute = ""): readonly string[] {
  const names = collapseSpaces(attribute);
  return names === "" ? [] : names.split(" ");
}

function childElements(element: PageElement): PageElement[] {
  return element.children.filter((child) => child.kind === "element");
}

function valueOf(element: PageElement, resolve: (href: string) => string | undefined): string {
  const { tag, attributes } = element;
  const href = attributes["href"];
  const src = attributes["src"];
  if (attributes["content"] !== undefined) return attributes["content"];
  if ((tag === "a" || tag === "link" || tag === "area") && href !== undefined) return resolve(href) ?? href;
  const data = attributes["data"];
  if (tag === "object" && data !== undefined) return resolve(data) ?? data;
  if (src !== undefined && /^(?:img|audio|video|source|iframe|embed|track)$/.test(tag)) return resolve(src) ?? src;
  if (tag === "time" && attributes["datetime"] !== undefined) return attributes["datetime"];
  if ((tag === "data" || tag === "meter") && attributes["value"] !== undefined) return attributes["value"];
  return textOf(element, MAX_VALUE_CHARS);
}
