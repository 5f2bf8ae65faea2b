const DELIMITERS = [",", ";", "\t", "|"] as const;

/** The rows of a CSV text: fields may stand in quotes, lines may end either way, empty lines are left out. */
export function readCsv(text: string, delimiter: string = guessDelimiter(text)): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = "";
  let isQuoted = false;
  const endRow = (): void => {
    row.push(field);
    if (row.some((one) => one.trim() !== "")) rows.push(row);
    row = [];
    field = "";
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (isQuoted) {
      if (character !== '"') field += character;
      else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && field.trim() === "") {
      field = "";
      isQuoted = true;
    } else if (character === delimiter) {
      row.push(field);
      field = "";
    } else if (character === "\n") endRow();
    else if (character !== "\r") field += character;
  }
  if (field !== "" || row.length > 0) endRow();
  return rows;
}

/** Rows as CSV text that every reader takes alike. */
export function writeCsv(rows: readonly (readonly string[])[]): string {
  const quote = (field: string): string => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
  return rows.map((row) => `${row.map(quote).join(",")}\r\n`).join("");
}

/** The text of a file: UTF-8, or what Windows wrote before. */
export function decodeText(bytes: Uint8Array): string {
  const start = bytes.subarray(0, 2).join();
  if (start === "255,254") return new TextDecoder("utf-16le").decode(bytes);
  if (start === "254,255") return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes); // it has a letter for every byte
  }
}

function guessDelimiter(text: string): string {
  const [line = ""] = text.split(/\r?\n/, 1);
  const outside = line.replaceAll(/"[^"]*"/g, "");
  const count = (one: string): number => outside.split(one).length;
  return [...DELIMITERS].sort((one, other) => count(other) - count(one))[0] ?? ",";
}
