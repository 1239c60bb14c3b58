// corridor payout list|show: lists payouts of all accounts. Shows all that a person needs to pay a
// payout by hand, who has taken it, and its history. payout-handling.ts takes, releases and moves
// payouts; payout-import.ts makes them from files.
import type { Command } from 'commander'

import { databaseNow } from '../db/connect.ts'
import { given } from '../given.ts'
import { type Instant, secondsBetween } from '../instant.ts'
import { accountNamed } from '../operator/accounts.ts'
import { presentForDesk, presentInFull } from '../operator/payout-response.ts'
import { type ShownPayout, showPayout } from '../operator/payouts.ts'
import { withAnswers } from '../payout/action.ts'
import { listForDesk } from '../payout/list-store.ts'
import type { Payout } from '../payout/payout.ts'
import type { HeldByScreening } from '../payout/screening-store.ts'
import { PAYOUT_STATUSES, type PayoutStatus } from '../payout/states.ts'
import { uetrOf } from '../payout/swift/uetr.ts'
import { MANUAL, SIMULATOR } from '../rail/rail.ts'
import { listRails } from '../rail/row-store.ts'
import { describeAge, toSecond } from '../text/age.ts'
import { attemptReason, reasonOf } from '../timeline/attempt-response.ts'
import type { TimelineAttempt, TimelineReview } from '../timeline/attempts.ts'
import { makeTimeline, type TimelineItem } from '../timeline/rules.ts'
import { approvalCommands } from './approvals.ts'
import { addCommand, example, print, withContext } from './context.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, oneOf, readLimit, readOneOf } from './input.ts'
import { handlingCommands } from './payout-handling.ts'
import { payoutImportCommand } from './payout-import.ts'
import { listing, money, outline, table } from './table.ts'
import { visible } from './terminal.ts'

const readStatus = oneOf('status', PAYOUT_STATUSES)

export function payoutCommands(payout: Command): void {
  payout
    .command('list')
    .description('list payouts of all accounts, the newest first, or those that wait longest')
    .option('--status <status>', `only these: ${PAYOUT_STATUSES.join(', ')}`, readStatus)
    .option('--rail <rail>', `only those that went to this rail, such as ${MANUAL}`)
    .option('--account <id>', 'one account instead of all')
    .option('--limit <count>', `most to list, 1 to ${MAX_LIMIT}`, readLimit, DEFAULT_LIMIT)
    .addHelpText('after', LIST_HELP)
    .action(listAction)
  addCommand(payout, 'show', 'show all that is needed to pay a payout, and what became of it')
    .argument('<payout>', 'payout id')
    .addHelpText('after', example('payout show pot_01m7xpm2m0c6hkd4r9ye'))
    .action(showAction)
  handlingCommands(payout)
  approvalCommands(payout)
  payoutImportCommand(payout)
}

const LIST_HELP = `
With --status processing, requires_action or compliance_hold those that wait
longest come first.

Example:
  npx corridor payout list --rail ${MANUAL} --status processing`

interface ListOptions {
  status?: PayoutStatus
  rail?: string
  account?: string
  limit: number
}

async function listAction({ status, rail, account, limit }: ListOptions): Promise<void> {
  const filter = given({ account_id: account, status, rail })
  const { found, now } = await withContext(async ({ audit }) => {
    if (rail !== undefined) {
      const names = (await listRails(audit)).map(({ name }) => name)
      readOneOf('rail', rail, [SIMULATOR, ...names])
    }
    if (account !== undefined) await accountNamed(audit, account)
    return { found: await listForDesk(audit, filter, limit), now: await databaseNow(audit) }
  })
  const { rows: payouts, has_more } = found
  const rows = payouts.map(payout => ({
    payout: payout.id,
    account: payout.account_id,
    age: describeAge(secondsBetween(payout.created_at, now)),
    'to send': sentAmount(payout),
    status: statusWords(payout, now),
    rail: payout.rail,
    'taken by': payout.taken_by,
    over: networkWords(payout),
    to: payout.beneficiary_details.name,
    reference: payout.particulars.reference_id,
  }))
  const none = [
    'no payout',
    status && `that is ${status}`,
    rail && `with rail ${rail}`,
    account && `of ${account}`,
  ]
  const more = has_more ? `\n\nand more: --limit shows up to ${MAX_LIMIT}` : ''
  const results = payouts.map(presentForDesk)
  print(
    { object: 'list', has_more, results },
    `${listing(rows, none.filter(Boolean).join(' '))}${more}`,
  )
}

/** `processing`, `processing from 2026-12-01 09:00:00Z on`. */
function statusWords({ status, execute_at }: Payout, now: Instant): string {
  if (execute_at === null || execute_at <= now) return status
  return `${status}, from ${toSecond(execute_at)} on`
}

async function showAction(payout_id: string): Promise<void> {
  const shown = await withContext(context => showPayout(context, payout_id))
  print(presentInFull(shown), showWords(shown))
}

/** `local chats`, `swift`. */
function networkWords({ type, fund_transfer_network }: Payout): string {
  return [type, fund_transfer_network].filter(word => word !== '').join(' ')
}

/** Payee, destination and amount, in the order of a bank's form; then the history. */
function showWords({ source, account, held }: ShownPayout): string {
  const { payout } = source
  const items = makeTimeline(source)
  const attempts = items.filter(item => item.kind === 'attempt')
  const reviews = items.filter(item => item.kind === 'review')
  const { particulars, beneficiary_details } = withAnswers(payout)
  const { destination: _id, status: _status, documents, ...beneficiary } = beneficiary_details
  const { destination_details, name, ...others } = beneficiary
  const { documents: more, logistics_tracking_details, metadata, ...details } = particulars
  return [
    `${payout.id}  ${payout.status}${payout.rail === '' ? '' : `, rail ${payout.rail}`}`,
    ...reviews.flatMap(reviewWords),
    ...screeningWords(held),
    ...handWords(payout),
    '',
    ...outline({
      send: sentAmount(payout),
      to: name,
      over: networkWords(payout),
      charges: payout.charge_type,
      uetr: payout.mt103 === '' ? '' : uetrOf(payout.id),
      ...details,
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
      debited: debitWords(payout),
      made: toSecond(payout.created_at),
      executed: toSecond(payout.execute_at),
      status_description: payout.status_description,
      failure: payout.failure,
      bank_reference: payout.rail_reference,
      why_this_rail: payout.rail === '' || attempts.length > 0 ? '' : reasonOf(payout),
    }),
    ...attempts.flatMap(attempt => ['', ...attemptWords(attempt)]),
    '',
    table(['history', '', '', ''], items.flatMap(historyOf)),
  ].join('\n')
}

/** Who has taken a payout of the manual rail, and the command that comes next. */
function handWords({ id, rail, status, taken_by, taken_at }: Payout): string[] {
  const is_processing = status === 'processing'
  if (rail === MANUAL && taken_at !== null) {
    const who = `taken by ${visible(taken_by)} at ${toSecond(taken_at)}`
    const paid = `  npx corridor payout transition ${id} succeeded --reference BANK_REFERENCE`
    return is_processing ? [`${who}; when it is paid:`, paid] : [who]
  }
  if (rail !== MANUAL || !is_processing) return []
  return [
    'taken by nobody: its account can cancel it. Before you pay it:',
    `  npx corridor payout take ${id}`,
  ]
}

const SCREENING_WORDS: Readonly<Record<HeldByScreening['screening'], string>> = {
  waits: 'waits to be screened; corridor lists status says which lists are missing or stale',
  open: 'held: somebody of it may be listed; look, then clear or confirm:',
  confirmed: 'blocked: somebody of it is listed:',
}

function screeningWords(held: HeldByScreening | undefined): string[] {
  if (held === undefined) return []
  return [SCREENING_WORDS[held.screening], `  npx corridor screening show ${held.id}`]
}

/** The exception, if it is open, and the command that comes next. */
function reviewWords({ exception }: TimelineReview): string[] {
  const { payout_id, number, rail, kind, message, closed_at } = exception
  if (closed_at !== null) return []
  return [
    `under review, exception ${number} of rail ${rail}, ${kind}: ${visible(message)}`,
    '  nothing moves until you have asked the bank or the provider and said what you found:',
    `  npx corridor rail close-exception ${payout_id} ${number} --note "WHAT YOU FOUND"`,
  ]
}

const STATE_WORDS: Readonly<Record<TimelineAttempt['state'], string>> = {
  waiting: 'waits, its rail does not have it',
  handed_over: 'handed over',
  paid: 'paid',
  failed: 'failed',
  not_taken: 'not taken',
  returned: 'returned',
}

function attemptWords(attempt: TimelineAttempt): string[] {
  const { number, rail, state, not_taken, failure } = attempt
  const cause = not_taken ?? failure
  return outline({
    [`attempt ${number}, rail ${rail}`]: {
      state: STATE_WORDS[state],
      why_this_rail: attemptReason(attempt),
      release_at: toSecond(attempt.release_at),
      handed_over_at: toSecond(attempt.handed_over_at),
      released_at: toSecond(attempt.released_at),
      expected_at: toSecond(attempt.expected_at),
      ended_at: toSecond(attempt.ended_at),
      because: cause === null ? '' : `${cause.code}: ${cause.message}`,
      uetr: attempt.uetr,
      ...attempt.references,
    },
  })
}

function historyOf(item: TimelineItem): string[][] {
  const at = toSecond(item.at)
  switch (item.kind) {
    case 'state': {
      const { operator = '', reference = '', reason = '' } = item.by_hand ?? {}
      const texts = [item.status_description, item.failure?.message ?? '', reference, reason]
      const words = [...new Set(texts)].filter(word => word !== '').join('; ')
      return [[at, item.status, operator === '' ? (item.by ?? '') : operator, words]]
    }
    case 'route':
      return [[at, `to rail ${item.rail}`, '', reasonOf(item)]]
    case 'reroute':
      return [[at, `to rail ${item.rail}`, item.by, `${item.previous_rail} has not taken it`]]
    case 'review':
      return reviewHistory(item)
    case 'handling':
      return [[at, item.action, item.by_hand.operator, item.by_hand.reason]]
    case 'approval': {
      const { decision, by_hand, given, needed } = item
      const done = decision === 'approve' ? `approved, ${given} of ${needed}` : 'rejected'
      return [[at, done, by_hand.operator, by_hand.reason]]
    }
    default:
      return []
  }
}

function reviewHistory({ at, exception }: TimelineReview): string[][] {
  const { number, kind, message, closed_at, closed_by, note } = exception
  const opened = [toSecond(at), `exception ${number}`, 'rail', `${kind}: ${message}`]
  if (closed_at === null) return [opened]
  return [opened, [toSecond(closed_at), `exception ${number} closed`, closed_by, note]]
}

function sentAmount({ destination_currency, destination_amount }: Payout): string {
  return money(destination_currency, destination_amount)
}

function debitWords({ holding_currency, holding_amount, fixed_fee, variable_fee }: Payout): string {
  const fees = fixed_fee + variable_fee
  const total = money(holding_currency, holding_amount + fees)
  return `${total} (${money(holding_currency, fees)} of it fees)`
}
