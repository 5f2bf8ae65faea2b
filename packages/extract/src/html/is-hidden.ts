import type { PageElement, PageNode } from "./page-tree.ts";
import type { KeptBlock } from "./write-text.ts";

const HIDDEN_STYLE = /(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*hidden)(?![\w-])/i;

/**
 * Whether the element itself says that no reader sees it, in its attributes: style sheets are not read. One with an id or
 * a role is not meant: that is what a tab, a menu or "read more" opens. Nor is the MathML of MediaWiki, whose picture is shown.
 */
export function isHidden({ attributes, children }: PageElement): boolean {
  const { hidden, style, id, role } = attributes;
  if (hidden === undefined && style === undefined) return false;
  if ((id ?? "") !== "" || (role ?? "") !== "") return false;
  if (isMediaWikiMath(attributes["class"], children)) return false;
  if (hidden !== undefined && hidden.toLowerCase() !== "until-found") return true;
  return style !== undefined && HIDDEN_STYLE.test(style);
}

function isMediaWikiMath(names: string | undefined, children: readonly PageNode[]): boolean {
  if (names?.includes("mwe-math-mathml") !== true) return false;
  return children.some((child) => child.kind === "element" && child.tag === "math");
}

/**
 * The kept blocks without those that nobody sees. A page whose text is hidden for the most part shows it by a script
 * later: there all of it stays.
 */
export function dropHidden(kept: readonly KeptBlock[]): readonly KeptBlock[] {
  const looked: Looked = { known: new Map(), panels: new Map() };
  let [shown, unseen] = [0, 0];
  const seen = kept.filter(({ block }) => {
    const isShown = !isInHidden(block.container.element, looked);
    if (isShown) shown += block.text.length;
    else unseen += block.text.length;
    return isShown;
  });
  return unseen > shown ? kept : seen;
}

/** What is known of the elements of a page. */
interface Looked {
  readonly known: Map<PageElement, boolean>;
  /** By parent, the names that exactly one shown child of it has, each after its tag. */
  readonly panels: Map<PageElement, ReadonlySet<string>>;
}

const PANEL_TAGS: ReadonlySet<string> = new Set(["div", "section"]);

/**
 * Whether an element is one of several of one name of which exactly one is shown: the parts behind tabs, without id and
 * role. Beside more that are shown, text is likelier hidden from people than behind a tab.
 */
function isPanel(element: PageElement, panels: Looked["panels"]): boolean {
  const { parent } = element;
  const name = panelNameOf(element);
  if (parent === undefined || name === undefined) return false;
  let names = panels.get(parent);
  if (names === undefined) panels.set(parent, (names = findPanelNames(parent)));
  return names.has(name);
}

function findPanelNames(parent: PageElement): ReadonlySet<string> {
  const shown = new Set<string>();
  const repeated = new Set<string>();
  for (const child of parent.children) {
    const name = child.kind === "element" && !isHidden(child) ? panelNameOf(child) : undefined;
    if (name !== undefined) (shown.has(name) ? repeated : shown).add(name);
  }
  for (const name of repeated) shown.delete(name);
  return shown;
}

function panelNameOf({ tag, attributes }: PageElement): string | undefined {
  const names = attributes["class"]?.trim() ?? "";
  return names === "" || !PANEL_TAGS.has(tag) ? undefined : `${tag} ${names}`;
}

/** Each element is looked at once, however many blocks are in it. */
function isInHidden(element: PageElement, { known, panels }: Looked): boolean {
  const way: PageElement[] = [];
  let answer = false;
  for (let at: PageElement | undefined = element; at !== undefined; at = at.parent) {
    const before = known.get(at);
    if (before !== undefined || (isHidden(at) && !isPanel(at, panels))) {
      answer = before ?? true;
      known.set(at, answer);
      break;
    }
    way.push(at);
  }
  for (const passed of way) known.set(passed, answer);
  return answer;
}
