import type { DocumentCode, DocumentHeading } from "../extracted-document.ts";
import type { KeptBlock, WrittenText } from "./write-text.ts";

/** The headings among the kept blocks, with their ranges in the text. */
export function headingsOf(kept: readonly KeptBlock[], written: WrittenText): readonly DocumentHeading[] {
  return kept.flatMap(({ block, role }, index) => {
    const start = written.starts[index];
    const end = written.ends[index];
    if (role.kind !== "heading" || start === undefined || end === undefined) return [];
    return [{ level: role.level, text: block.text, start, end }];
  });
}

/** The blocks of code among the kept blocks, with their ranges in the text. */
export function codeOf(kept: readonly KeptBlock[], written: WrittenText): readonly DocumentCode[] {
  return kept.flatMap(({ role }, index) => {
    const start = written.starts[index];
    const end = written.ends[index];
    if (role.kind !== "code" || start === undefined || end === undefined) return [];
    return [{ language: role.language, text: written.text.slice(start, end), start, end }];
  });
}
