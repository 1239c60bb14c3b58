// Compares a payout with its MT103 message and with its account's answers to the rail.
import { uetrOf } from '../payouts/swift/uetr.ts'
import type { PayoutType } from '../quotes/quote.ts'
import type { RailAnswer } from '../rails/rail.ts'
import type { Key } from '../values/id.ts'
import { isArchived, payoutProblem } from './rows.ts'

export interface MessageRow extends Key {
  readonly type: PayoutType
  readonly destination_currency: string
  readonly destination_amount: bigint
  mt103: string
  /** Whether the payee's data is erased (verify/erasures.ts). */
  is_erased: boolean
  answers: readonly RailAnswer[]
  /** A large number if an archive may have events of it. */
  asked: number
}

/** Columns that no other check reads, of payouts `p`. */
export const MESSAGE_COLUMNS = `p.mt103, p.answers,
  p.beneficiary_details ->> 'name' = '' as is_erased,
  case when p.answers::text = '[]' then 0
    when ${isArchived('p.created_at', 'p.account_id')} then 2147483647 else (
    select count(*)::integer from events e
    where e.account_id = p.account_id and e.object_id = p.id and e.object_id <> ''
      and e.type = 'payout.requires_action'
  ) end as asked`

export function checkMessages(payout: MessageRow): void {
  const { id, type, mt103, answers, asked } = payout
  const wrong = (expected: string, found: string) => payoutProblem(payout, expected, found)
  if (payout.is_erased) {
    if (mt103 !== '') throw wrong('no mt103, as the payout is erased', 'one')
  } else if (type !== 'swift') {
    if (mt103 !== '') throw wrong('no mt103, as the payout is not by SWIFT', 'one')
  } else {
    const uetr = /\{121:([^}]*)\}/.exec(mt103)?.[1] ?? 'none'
    if (uetr !== uetrOf(id)) throw wrong(`UETR ${uetrOf(id)} in its mt103`, uetr)
    const settled = `${payout.destination_amount} ${payout.destination_currency}`
    const found = settledBy(mt103)
    if (found !== settled) throw wrong(`${settled} in its mt103`, found)
  }
  if (!Array.isArray(answers)) throw wrong('a list of answers', JSON.stringify(answers))
  const numbers = answers.map(({ number }) => number).join(', ')
  const expected = answers.map((_, i) => i + 1).join(', ')
  if (numbers !== expected) throw wrong(`answers numbered ${expected}`, numbers)
  if (answers.length > asked) throw wrong(`at most ${asked} answers`, `${answers.length}`)
}

/** In minor units. The field has all decimals of the currency. */
function settledBy(mt103: string): string {
  const [, currency, amount] = /:32A:\d{6}([A-Z]{3})(\d+,\d*)\r\n/.exec(mt103) ?? []
  if (amount === undefined) return 'none'
  return `${BigInt(amount.replace(',', ''))} ${currency}`
}
