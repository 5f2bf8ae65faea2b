import type { ReactNode } from "react";
import type { Explanation } from "./search-shapes.ts";
import { say } from "../../words/say.ts";
import { tell } from "../../words/tell.tsx";

const WORDS_SHOWN = 8;

/** Why a page ranks where it does: a sentence, then the numbers behind it. */
export function Why({ explanation }: { readonly explanation: Explanation }): ReactNode {
  const { sentence, parts, words, placeByWords, placeByMeaning, score } = explanation;
  return (
    <div className="why" role="group" aria-label={say("ask.whyItRanksHere")}>
      <p>{sentence}</p>
      <div className="row small soft">
        <span className="badge plain number">{say("ask.score", { score: score.toFixed(3) })}</span>
        <span className="badge plain number">
          {say("ask.byWords", { value: placeByWords === null ? say("ask.notFound") : `#${placeByWords}` })}
        </span>
        <span className="badge plain number">
          {say("ask.byMeaning", { value: placeByMeaning === null ? say("ask.notFound") : `#${placeByMeaning}` })}
        </span>
      </div>
      {parts.length === 0 ? null : (
        <table>
          <thead>
            <tr>
              <th scope="col">{say("ask.part")}</th>
              <th scope="col" className="number">
                {say("ask.value")}
              </th>
              <th scope="col" className="number">
                {say("ask.points")}
              </th>
            </tr>
          </thead>
          <tbody>
            {parts.map(({ name, value, points }) => (
              <tr key={name}>
                <td>{name}</td>
                <td className="number">{toFigure(value)}</td>
                <td className="number">{toFigure(points)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {words.length === 0 ? null : (
        <p className="small soft">
          {tell("ask.wordsThatCounted", {
            words: words.slice(0, WORDS_SHOWN).map(({ token, score: points }, index) => (
              <span key={token}>
                {index === 0 ? "" : ", "}
                <strong>{token}</strong> <span className="number">{toFigure(points)}</span>
              </span>
            )),
          })}
        </p>
      )}
    </div>
  );
}

function toFigure(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(3);
}
