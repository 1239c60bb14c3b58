// What payout list and payout show tell people: who waits for money, and all that is needed to pay
// it by hand. Texts that callers of the API have written are shown escaped.
import type { Account } from '../account/rules.ts'
import { type Instant, secondsBetween } from '../instant.ts'
import { currencyExponent } from '../money/currency.ts'
import { formatMajor } from '../money/decimal.ts'
import { withAnswers } from '../payout/action.ts'
import type { Payout } from '../payout/payout.ts'
import { uetrOf } from '../payout/swift/uetr.ts'
import { MANUAL } from '../rail/rail.ts'
import { reasonOf } from '../timeline/response.ts'
import { makeTimeline, type TimelineItem, type TimelineSource } from '../timeline/rules.ts'
import { describeAge } from './context.ts'
import { outline, toSecond } from './outline.ts'
import { table } from './table.ts'
import { visible } from './terminal.ts'

const HEADINGS = [
  'payout',
  'account',
  'age',
  'to send',
  'status',
  'rail',
  'taken by',
  'over',
  'to',
  'reference',
]

export function listWords(payouts: readonly Payout[], now: Instant): string {
  const rows = payouts.map(payout => [
    payout.id,
    payout.account_id,
    describeAge(secondsBetween(payout.created_at, now)),
    toSend(payout),
    payout.status,
    payout.rail,
    payout.taken_by,
    over(payout),
    payout.beneficiary_details.name,
    payout.particulars.reference_id,
  ])
  return table(HEADINGS, rows)
}

/** `local chats`, `swift`. */
function over({ type, fund_transfer_network }: Payout): string {
  return [type, fund_transfer_network].filter(word => word !== '').join(' ')
}

/** Who is paid, where and how much, in the order of a bank's form; then what became of it. */
export function showWords(source: TimelineSource, account: Account): string {
  const { payout } = source
  const { particulars, beneficiary_details } = withAnswers(payout)
  const { destination: _id, status: _status, documents, ...beneficiary } = beneficiary_details
  const { destination_details, name, ...others } = beneficiary
  const { documents: more, logistics_tracking_details, metadata, ...said } = particulars
  return [
    `${payout.id}  ${payout.status}${payout.rail === '' ? '' : `, rail ${payout.rail}`}`,
    ...handWords(payout),
    '',
    ...outline({
      send: toSend(payout),
      to: name,
      over: over(payout),
      charges: payout.charge_type,
      uetr: payout.mt103 === '' ? '' : uetrOf(payout.id),
      ...said,
    }),
    ...outline({
      destination: destination_details,
      beneficiary: others,
      documents: [...more, ...documents],
      logistics_tracking_details,
      metadata,
    }),
    '',
    ...outline({
      account: `${account.account_id} ${account.name}${account.sandbox ? ', a sandbox' : ''}`,
      debited: debited(payout),
      made: toSecond(payout.created_at),
      status_description: payout.status_description,
      failure: payout.failure,
      bank_reference: payout.rail_reference,
      why_this_rail: payout.rail === '' ? '' : reasonOf(payout),
    }),
    '',
    table(['history', '', '', ''], makeTimeline(source).flatMap(historyOf)),
  ].join('\n')
}

function handWords({ id, rail, status, taken_by, taken_at }: Payout): string[] {
  if (rail !== MANUAL || taken_at === null) {
    if (rail !== MANUAL || status !== 'processing') return []
    return ['taken by nobody: its account can cancel it. Before you pay it:', `  ${takeLine(id)}`]
  }
  const who = `taken by ${visible(taken_by)} at ${toSecond(taken_at)}`
  if (status !== 'processing') return [who]
  return [
    `${who}; when it is paid:`,
    `  npx corridor payout transition ${id} succeeded --reference BANK_REFERENCE`,
  ]
}

function takeLine(id: string): string {
  return `npx corridor payout take ${id}`
}

function historyOf(item: TimelineItem): string[][] {
  const at = toSecond(item.at)
  switch (item.kind) {
    case 'state': {
      const { operator = '', reference = '', reason = '' } = item.by_hand ?? {}
      const said = [item.status_description, item.failure?.message ?? '', reference, reason]
      const words = [...new Set(said)].filter(word => word !== '').join('; ')
      return [[at, item.status, operator === '' ? (item.by ?? '') : operator, words]]
    }
    case 'route':
      return [[at, `to rail ${item.rail}`, '', reasonOf(item)]]
    case 'handling':
      return [[at, item.action, item.by_hand.operator, item.by_hand.reason]]
    default:
      return []
  }
}

function toSend({ destination_currency, destination_amount }: Payout): string {
  return major(destination_currency, destination_amount)
}

function debited({ holding_currency, holding_amount, fixed_fee, variable_fee }: Payout): string {
  const fees = fixed_fee + variable_fee
  const total = major(holding_currency, holding_amount + fees)
  return `${total} (${major(holding_currency, fees)} of it fees)`
}

function major(currency: string, amount: bigint): string {
  return `${currency} ${formatMajor(amount, currencyExponent(currency))}`
}
