// Lines of a bank's statement, written as an import writes them.
import { createHash, randomUUID } from 'node:crypto'
import type { Sql } from '../../../src/sql/connect.ts'

export interface GivenLine {
  readonly amount: bigint
  readonly booked_on?: string
  readonly end_to_end_id?: string
  readonly bank_reference?: string
  readonly own_account?: string
  readonly counterparty?: string
  readonly counterparty_name?: string
  readonly text?: string
  readonly code?: string
}

const today = () => new Date().toISOString().slice(0, 10)

/** Writes one statement with these lines. Returns the ids of the lines. */
export async function giveLines(
  owner: Sql,
  nostro: { readonly name: string; readonly currency: string },
  lines: readonly GivenLine[],
): Promise<bigint[]> {
  const name = randomUUID()
  const sha256 = createHash('sha256').update(name).digest()
  const days = lines.map(({ booked_on = today() }) => booked_on).sort()
  const sum = lines.reduce((total, { amount }) => total + amount, 0n)
  return owner.begin(async tx => {
    await tx`
      insert into statement_files (sha256, size, name, state) values (${sha256}, 1, ${name}, 'read')`
    const [statement] = await tx<{ id: bigint }[]>`
      insert into bank_statements (id, format, opening, closing, sha256, nostro, statement_id,
        opened_on, closed_on, lines, amount, state)
      values (nextval('bank_statement_ids'), 'camt.053', 0, ${sum}, ${sha256}, ${nostro.name}, ${name}, ${days[0] ?? today()}::date,
        ${days.at(-1) ?? today()}::date, ${lines.length}, ${sum}, 'proved')
      returning id`
    const ids: bigint[] = []
    for (const [i, line] of lines.entries()) {
      const {
        booked_on = today(),
        end_to_end_id = '',
        bank_reference = '',
        own_account = '',
      } = line
      const { counterparty = '', counterparty_name = '', text = '', code = '' } = line
      const same = createHash('sha256').update(`${name} ${i}`).digest()
      const [row] = await tx<{ id: bigint }[]>`
        insert into bank_lines (amount, statement, position, booked_on, value_on, occurrence, same,
          nostro, currency, code, end_to_end_id, bank_reference, own_account, counterparty,
          counterparty_name, text)
        values (${line.amount}, ${statement?.id ?? 0n}::bigint, ${i + 1}, ${booked_on}::date,
          ${booked_on}::date, 1, ${same}, ${nostro.name}, ${nostro.currency}, ${code},
          ${end_to_end_id}, ${bank_reference}, ${own_account}, ${counterparty},
          ${counterparty_name}, ${text})
        returning id`
      if (row !== undefined) ids.push(row.id)
    }
    return ids
  })
}
