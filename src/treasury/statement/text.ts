// Makes the texts of a bank fit the columns of its lines. Pure.
import { LENGTHS, type StatementLine } from './statement.ts'

/** On one line, without characters that a text of PostgreSQL cannot hold, and not too long. */
export function fitText(text: string, length: number): string {
  const clean = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
  return clean.length <= length ? clean : Array.from(clean).slice(0, length).join('').trimEnd()
}

/** The line with all its texts cut to what is stored of them. */
export function fitLine(line: StatementLine): StatementLine {
  const texts = Object.entries(LENGTHS).map(([member, length]) => [
    member,
    fitText(line[member as keyof typeof LENGTHS], length),
  ])
  return { ...line, ...Object.fromEntries(texts) }
}

/** An account as it is compared: in capital letters, without white space and hyphens. */
export function plainAccount(account: string): string {
  return account.replaceAll(/[\s-]/g, '').toUpperCase()
}
