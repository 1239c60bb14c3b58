// Writes lines of CSV (RFC 4180) that a spreadsheet opens without harm. Pure.

/**
 * A cell of text from a caller. A spreadsheet takes text that begins with one of these characters,
 * full-width or not, for a formula, quoted or not, and a formula can leak the sheet. A leading
 * apostrophe makes it text (OWASP, "CSV Injection"). Amounts keep their sign: they are our own
 * integers.
 */
export function textCell(text: string): string {
  const safe = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Numbers stay as they are. */
export function csvLine(cells: readonly string[]): string {
  const quoted = cells.map(cell => (/^-?[\d.]+$/.test(cell) ? cell : textCell(cell)))
  return `${quoted.join(',')}\r\n`
}
