// Knows how text is written in a command for a POSIX shell. Pure.

/** Quotes any text for the shell with single quotes. */
export function inShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
