/** How the fields of a CSV file are told apart, and how many characters at its start are not data. */
export interface CsvDialect {
  readonly delimiter: string;
  /** The length of a first line `sep=;`, which Excel writes and reads. */
  readonly skip: number;
}

/** Records looked at, and the least of them that must agree. */
const SAMPLE_RECORDS = 50;
const LEAST_AGREEMENT = 0.9;
const USUAL = [",", ";", "\t", "|"];

/**
 * The delimiter of a CSV file by the start of its text: the character that stands equally often in every record,
 * quoted fields aside. Any mark may be one that does not belong to words, numbers and addresses; a file with one
 * column has none, and is read with commas.
 */
export function detectDelimiter(text: string, isWhole: boolean): CsvDialect {
  const declared = /^sep=([^\r\n])\r?\n/i.exec(text);
  if (declared !== null) return { delimiter: declared[1] ?? ",", skip: declared[0].length };
  const records = countMarks(text, isWhole).slice(0, SAMPLE_RECORDS);
  const [first] = records;
  if (first === undefined) return { delimiter: ",", skip: 0 };
  const scored = [...first.keys()].map((mark) => {
    const wanted = first.get(mark) ?? 0;
    const agreeing = records.filter((record) => record.get(mark) === wanted).length / records.length;
    return { mark, agreeing, wanted, usual: USUAL.indexOf(mark) };
  });
  const fitting = scored.filter(({ agreeing }) => agreeing >= LEAST_AGREEMENT);
  const usual = fitting.filter((one) => one.usual >= 0).sort((a, b) => b.wanted - a.wanted || a.usual - b.usual);
  const other = fitting.filter((one) => one.usual < 0).sort((a, b) => b.wanted - a.wanted);
  const inHeader = USUAL.find((mark) => first.has(mark));
  return { delimiter: usual[0]?.mark ?? other[0]?.mark ?? inHeader ?? ",", skip: 0 };
}

/** Letters, digits, and the marks that names, numbers, dates, prices and addresses are made of. */
const NO_DELIMITER = /[\p{L}\p{N}\p{M}\s"'./:@_\-&=?%+#()[\]{}<>$€£°!*\\`\u00a0]/u;

/** For each record, how often each possible delimiter stands in it outside quotes. */
function countMarks(text: string, isWhole: boolean): readonly ReadonlyMap<string, number>[] {
  const records: Map<string, number>[] = [];
  let marks = new Map<string, number>();
  let quoted = false;
  let isEmpty = true;
  const end = (): void => {
    if (!isEmpty) records.push(marks);
    marks = new Map();
    isEmpty = true;
  };
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    else if (!quoted && (character === "\n" || character === "\r")) {
      end();
      continue;
    } else if (!quoted && (character === "\t" || !NO_DELIMITER.test(character))) {
      marks.set(character, (marks.get(character) ?? 0) + 1);
    }
    isEmpty = false;
  }
  if (isWhole || records.length === 0) end(); // else the last record is cut off
  return records;
}
