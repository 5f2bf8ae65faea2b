/**
 * Whether a spreadsheet that reads this text could run it: what begins with =, +, -, @, a tab or a line end, also after
 * blanks. A plain number is none, whatever its sign.
 */
export function isFormula(text: string): boolean {
  if (/^\s*[+-]?\d+(?:[.,]\d+)*\s*$/.test(text)) return false;
  return /^[\t\r\n]/.test(text) || /^\s*[=+\-@＝＋－＠]/u.test(text);
}
