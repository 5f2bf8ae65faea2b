import { RegExpParser, type AST } from "@eslint-community/regexpp";

/** What a search of a text found, and in how many steps; it stops one step past `limit`. */
export type CountedSearch = (
  text: string,
  limit: number,
) => { readonly steps: number; readonly found: readonly string[] };

/** Goes on from a place in the text; false sends the search back to its last choice. */
type Continue = (at: number) => boolean;
/** 1 for a node that reads on, -1 for one in a look back, which reads from right to left. */
type Side = 1 | -1;
type Matcher = (at: number, next: Continue) => boolean;

/** Thrown through the matchers, which are as deep as the text is long. */
const LIMIT_REACHED = new Error("the limit of steps is reached");

/**
 * A regular expression as a plain backtracking search that counts: each look at a character and each choice tried again
 * is a step. It finds what the engine's own search finds, in the same order, but knows none of its short cuts; so the
 * count is the same on every machine, and no text can take longer than its limit.
 */
export function compileCounter(source: string, flags: string): CountedSearch {
  const mode = { unicode: flags.includes("u"), unicodeSets: flags.includes("v") };
  const root = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, 0, source.length, mode);
  const classFlags = flags.replaceAll(/[gymd]/g, "");
  const multiline = flags.includes("m");
  let text = "";
  let steps = 0;
  let limit = 0;
  let captures = new Map<AST.CapturingGroup, readonly [number, number]>();

  const step = (): void => {
    steps += 1;
    if (steps > limit) throw LIMIT_REACHED;
  };

  /** Whether a code unit of the text is one that the node takes; asked of the engine once. */
  const oneOf = ({ raw }: AST.Element): ((unit: number) => boolean) => {
    const test = new RegExp(`^(?:${raw})$`, classFlags);
    const known = new Map<number, boolean>();
    return (unit) => {
      let answer = known.get(unit);
      if (answer === undefined) known.set(unit, (answer = test.test(String.fromCharCode(unit))));
      return answer;
    };
  };
  /** NaN past either end, which no node takes. */
  const unitAt = (at: number, side: Side): number => text.charCodeAt(side === 1 ? at : at - 1);

  const all = (elements: readonly AST.Element[], side: Side): Matcher => {
    const matchers = elements.map((element) => one(element, side));
    if (side === -1) matchers.reverse();
    const last = matchers.pop() ?? ((at, next): boolean => next(at));
    return matchers.reduceRight<Matcher>(
      (rest, matcher) => (at, next) => matcher(at, (after) => rest(after, next)),
      last,
    );
  };

  const any = (alternatives: readonly AST.Alternative[], side: Side): Matcher => {
    const matchers = alternatives.map(({ elements }) => all(elements, side));
    if (matchers.length === 1 && matchers[0] !== undefined) return matchers[0];
    return (at, next) => {
      for (const matcher of matchers) {
        step();
        if (matcher(at, next)) return true;
      }
      return false;
    };
  };

  const one = (node: AST.Element, side: Side): Matcher => {
    switch (node.type) {
      case "Character":
      case "CharacterSet":
      case "CharacterClass":
      case "ExpressionCharacterClass": {
        const isIn = oneOf(node);
        return (at, next) => {
          step();
          const unit = unitAt(at, side);
          return !Number.isNaN(unit) && isIn(unit) && next(at + side);
        };
      }
      case "Group":
        return any(node.alternatives, side);
      case "CapturingGroup": {
        const inner = any(node.alternatives, side);
        return (at, next) =>
          inner(at, (after) => {
            const before = captures.get(node);
            captures.set(node, at < after ? [at, after] : [after, at]);
            if (next(after)) return true;
            if (before === undefined) captures.delete(node);
            else captures.set(node, before);
            return false;
          });
      }
      case "Backreference": {
        const groups = [node.resolved].flat();
        return (at, next) => {
          const held = groups.map((group) => captures.get(group)).find((range) => range !== undefined);
          if (held === undefined) return next(at);
          const word = text.slice(...held);
          steps += word.length;
          step();
          const from = side === 1 ? at : at - word.length;
          return from >= 0 && text.startsWith(word, from) && next(at + side * word.length);
        };
      }
      case "Assertion":
        return assertion(node);
      case "Quantifier":
        return quantifier(node, side);
    }
  };

  const assertion = (node: AST.Assertion): Matcher => {
    if (node.kind === "lookahead" || node.kind === "lookbehind") {
      const inner = any(node.alternatives, node.kind === "lookahead" ? 1 : -1);
      return (at, next) => inner(at, () => true) !== node.negate && next(at);
    }
    const isWord = (letter: string | undefined): boolean => letter !== undefined && /\w/.test(letter);
    const isBreak = (letter: string | undefined): boolean => letter === "\n" || letter === "\r";
    return (at, next) => {
      step();
      const [before, after] = [text[at - 1], text[at]];
      switch (node.kind) {
        case "start":
          return (at === 0 || (multiline && isBreak(before))) && next(at);
        case "end":
          return (at === text.length || (multiline && isBreak(after))) && next(at);
        case "word":
          return (isWord(before) !== isWord(after)) !== node.negate && next(at);
      }
    };
  };

  const quantifier = ({ element, min, max, greedy }: AST.Quantifier, side: Side): Matcher => {
    if (
      element.type === "Character" ||
      element.type === "CharacterSet" ||
      element.type === "CharacterClass" ||
      element.type === "ExpressionCharacterClass"
    ) {
      const isIn = oneOf(element);
      const takes = (at: number): boolean => {
        step();
        const unit = unitAt(at, side);
        return !Number.isNaN(unit) && isIn(unit);
      };
      if (greedy)
        return (at, next) => {
          let count = 0;
          while (count < max && takes(at + side * count)) count += 1;
          for (; count >= min; count -= 1) {
            step();
            if (next(at + side * count)) return true;
          }
          return false;
        };
      return (at, next) => {
        for (let count = 0; count <= max; count += 1) {
          step();
          if (count >= min && next(at + side * count)) return true;
          if (!takes(at + side * count)) return false;
        }
        return false;
      };
    }
    const inner = one(element, side);
    const turn = (count: number, at: number, next: Continue): boolean => {
      step();
      if (count >= min && !greedy && next(at)) return true;
      const again: Continue = (after) => (after !== at || count < min) && turn(count + 1, after, next);
      if (count < max && inner(at, again)) return true;
      return count >= min && greedy && next(at);
    };
    return (at, next) => turn(0, at, next);
  };

  const whole = any(root.alternatives, 1);
  const searchFrom = (start: number): { readonly from: number; readonly to: number } | undefined => {
    for (let from = start; from <= text.length; from += 1) {
      captures = new Map();
      let to = from;
      step();
      if (
        whole(from, (end) => {
          to = end;
          return true;
        })
      )
        return { from, to };
      if (flags.includes("y")) return undefined;
    }
    return undefined;
  };

  return (searched, most) => {
    text = searched;
    steps = 0;
    limit = most;
    const found: string[] = [];
    try {
      for (let match = searchFrom(0); match !== undefined;) {
        found.push(text.slice(match.from, match.to));
        if (!flags.includes("g")) break;
        match = searchFrom(match.to > match.from ? match.to : match.to + 1);
      }
    } catch (error) {
      if (error !== LIMIT_REACHED) throw error;
    }
    return { steps, found };
  };
}
