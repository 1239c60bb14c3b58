// Imports statements from texts, and makes the nostros that they are of.
import { hash } from 'node:crypto'
import type { Sql } from '../../../src/sql/connect.ts'
import type { StatementSource } from '../../../src/treasury/statement/import.ts'
import { CSV_MAPPING } from './dialects.ts'

export interface GivenNostro {
  readonly name: string
  readonly account?: string
  readonly currency?: string
  readonly opening?: bigint
  readonly opening_on?: string
  readonly settings?: object
}

/** Adds an account at a bank, whose CSV files are those of the dialects. */
export async function addNostro(owner: Sql, given: GivenNostro): Promise<void> {
  const { name, account = 'DE87100500001234567890', currency = 'EUR', opening = 0n } = given
  const { opening_on = '2026-11-01' } = given
  const { settings = { statement: { format: 'csv', mapping: CSV_MAPPING } } } = given
  await owner`
    insert into nostros (name, kind, currency, account, purpose, opening_balance, opening_on,
      settings)
    values (${name}, 'bank', ${currency}, ${account}, 'client', ${opening}, ${opening_on}::date,
      ${JSON.stringify(settings)}::text::jsonb)`
}

/** A file that a person gives. `nostro` is needed for CSV. */
export function sourceOf(text: string | Uint8Array, nostro?: string): StatementSource {
  const bytes = Buffer.from(text)
  return {
    sha256: hash('sha256', bytes, 'hex'),
    size: bytes.length,
    ...{ name: 'statement', rail: '', by: 'olga', nostro },
    files: [
      async function* () {
        for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
      },
    ],
  }
}
