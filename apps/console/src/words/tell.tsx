import { Fragment, type ReactNode } from "react";
import { catalogue, PLACE, type MessageKey, type Values } from "./say.ts";

/** As `say`, for a sentence with elements in it: each stands where the reader's language wants it. */
export function tell<Key extends MessageKey>(key: Key, ...[values]: Values<Key, ReactNode>): ReactNode {
  const given: Readonly<Record<string, ReactNode>> | undefined = values;
  const text: string = catalogue[key];
  // Split by a pattern with a group: texts at even places, names at odd ones.
  return text
    .split(PLACE)
    .map((piece, index) => <Fragment key={index}>{index % 2 === 0 ? piece : given?.[piece]}</Fragment>);
}
