// What a person needs to pay a payout by hand, and its course, in words.
import { makerName } from '../accounts/maker.ts'
import type { Account } from '../accounts/rules.ts'
import { listAccounts, listKeysOfAccount } from '../accounts/store.ts'
import { attemptReason, reasonOf, whyNotTaken } from '../history/timeline/attempt-response.ts'
import {
  nostroAwaited,
  type TimelineAttempt,
  type TimelineReview,
} from '../history/timeline/attempts.ts'
import { presentTimeline } from '../history/timeline/response.ts'
import { makeTimeline, type TimelineItem, type TimelineSource } from '../history/timeline/rules.ts'
import { findTimeline } from '../history/timeline/store.ts'
import { Money, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { withAnswers } from '../payouts/action.ts'
import { findHeldByScreening, type HeldByScreening } from '../payouts/advance/screening-store.ts'
import type { Payout } from '../payouts/payout.ts'
import { PayoutResponse, presentPayout, UltimateDebtor } from '../payouts/response.ts'
import { uetrOf } from '../payouts/swift/uetr.ts'
import type { RailException } from '../rails/attempt.ts'
import { findExceptions } from '../rails/exception-store.ts'
import { MANUAL } from '../rails/rail.ts'
import type { Sql } from '../sql/connect.ts'
import { amountToJson } from '../values/money/json.ts'
import { moneyWords } from '../values/money/words.ts'
import { toSecond } from '../values/text/age.ts'
import type { Part } from './action.ts'
import { ExceptionResponse, presentException } from './exceptions.ts'
import { accountIdOf, known } from './operator-write.ts'
import { AccountId } from './request.ts'

/** `local chats`, `swift`. */
export function networkWords({ type, fund_transfer_network }: Payout): string {
  return [type, fund_transfer_network].filter(word => word !== '').join(' ')
}

/** Payee, destination and amount, in the order of a bank's form; then the history. */
export function showParts({ source, account, held, key_names }: ShownPayout): readonly Part[] {
  const { payout } = source
  const items = makeTimeline(source)
  const attempts = items.filter(item => item.kind === 'attempt')
  const reviews = items.filter(item => item.kind === 'review')
  const { particulars, beneficiary_details } = withAnswers(payout)
  const { destination: _id, status: _status, documents, ...beneficiary } = beneficiary_details
  const { destination_details, name, ...others } = beneficiary
  const { documents: more, logistics_tracking_details, metadata, ...details } = particulars
  const sent = {
    send: sentAmount(payout),
    to: name,
    over: networkWords(payout),
    charges: payout.charge_type,
    uetr: payout.mt103 === '' ? '' : uetrOf(payout.id),
    ...details,
  }
  const given = {
    destination: destination_details,
    beneficiary: others,
    documents: [...more, ...documents],
    logistics_tracking_details,
    metadata,
  }
  const made = {
    account: `${account.account_id} ${account.name}${account.sandbox ? ', a sandbox' : ''}`,
    debited: debitWords(payout),
    made: toSecond(payout.created_at),
    made_by: makerName(payout.made_by, key_names),
    executed: toSecond(payout.execute_at),
    status_description: payout.status_description,
    failure: payout.failure,
    bank_reference: payout.rail_reference,
    why_this_rail: payout.rail === '' || attempts.length > 0 ? '' : reasonOf(payout),
  }
  return [
    `${payout.id}  ${payout.status}${payout.rail === '' ? '' : `, rail ${payout.rail}`}`,
    ...reviews.flatMap(reviewWords),
    ...sentencesOf(attempts),
    ...screeningWords(held),
    ...fundsWords(source),
    ...handWords(payout),
    ...['', { outline: sent }, { outline: given }, '', { outline: made }],
    ...attempts.flatMap(attempt => ['', { outline: attemptOutline(attempt) }]),
    ...['', { rows: items.flatMap(item => historyOf(item, key_names)).map(historyRow) }],
  ]
}

/** A sentence for each rail that has not taken the payout. */
function sentencesOf(attempts: readonly TimelineAttempt[]): string[] {
  return attempts.map(attempt => whyNotTaken(attempt, 'operator')).filter(Boolean)
}

/** Only the first column has a heading. */
function historyRow([at = '', what = '', who = '', words = '']: readonly string[]) {
  return { history: at, '': what, ' ': who, '  ': words }
}

/** Who has taken a payout of the manual rail, and the command that comes next. */
function handWords({ id, rail, status, taken_by, taken_at }: Payout): string[] {
  const is_processing = status === 'processing'
  if (rail === MANUAL && taken_at !== null) {
    const who = `taken by ${taken_by} at ${toSecond(taken_at)}`
    const paid = `  corridor payout transition ${id} succeeded --reference BANK_REFERENCE`
    return is_processing ? [`${who}; when it is paid:`, paid] : [who]
  }
  if (rail !== MANUAL || !is_processing) return []
  return [
    'taken by nobody: its account can cancel it. Before you pay it:',
    `  corridor payout take ${id}`,
  ]
}

const SCREENING_WORDS: Readonly<Record<HeldByScreening['screening'], string>> = {
  waits: 'waits to be screened; corridor lists status says which lists are missing or stale',
  open: 'held: somebody of it may be listed; look, then clear or confirm:',
  confirmed: 'blocked: somebody of it is listed:',
}

function screeningWords(held: HeldByScreening | undefined): string[] {
  if (held === undefined) return []
  return [SCREENING_WORDS[held.screening], `  corridor screening show ${held.id}`]
}

function fundsWords({ payout, handOver }: TimelineSource): string[] {
  const nostro = nostroAwaited(payout, handOver)
  if (nostro === null) return []
  const since = toSecond(handOver.awaits_funds_since)
  return [
    `waits for funds since ${since}: ${nostro} does not cover it and what is due before it`,
    '  corridor nostro list',
  ]
}

/** The exception, if it is open, and the command that comes next. */
function reviewWords({ exception }: TimelineReview): string[] {
  const { payout_id, number, rail, kind, message, closed_at } = exception
  if (closed_at !== null) return []
  return [
    `under review, exception ${number} of rail ${rail}, ${kind}: ${message}`,
    '  nothing moves until you have asked the bank or the provider and said what you found:',
    `  corridor rail close-exception ${payout_id} ${number} --note "WHAT YOU FOUND"`,
  ]
}

const STATE_WORDS: Readonly<Record<TimelineAttempt['state'], string>> = {
  waiting: 'waits, its rail does not have it',
  waits_for_funds: 'waits for funds',
  handed_over: 'handed over',
  paid: 'paid',
  failed: 'failed',
  not_taken: 'not taken',
  returned: 'returned',
}

function attemptOutline(attempt: TimelineAttempt) {
  const { number, rail, state, not_taken, failure } = attempt
  const cause = not_taken ?? failure
  return {
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
  }
}

function historyOf(item: TimelineItem, key_names: ShownPayout['key_names']): string[][] {
  const at = toSecond(item.at)
  switch (item.kind) {
    case 'state': {
      const { operator = '', reference = '', reason = '' } = item.by_hand ?? {}
      const texts = [item.status_description, item.failure?.message ?? '', reference, reason]
      const words = [...new Set(texts)].filter(word => word !== '').join('; ')
      const by = item.made_by === '' ? (item.by ?? '') : makerName(item.made_by, key_names)
      return [[at, item.status, operator === '' ? by : operator, words]]
    }
    case 'update':
      return [[at, 'metadata', makerName(item.made_by, key_names), '']]
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

export function sentAmount({ destination_currency, destination_amount }: Payout): string {
  return moneyWords(destination_amount, destination_currency)
}

function debitWords({ holding_currency, holding_amount, fixed_fee, variable_fee }: Payout): string {
  const fees = fixed_fee + variable_fee
  const total = moneyWords(holding_amount + fees, holding_currency)
  return `${total} (${moneyWords(fees, holding_currency)} of it fees)`
}

const MEMBERS = {
  account_id: AccountId,
  made_by: Type.String({
    description:
      'Who made the payout: `key_…`, `user:` and the name of a person of the account, or ' +
      '`operator:` and the name of a person who runs the installation.',
  }),
  rail: Type.String({ description: 'The rail of the payout; empty while it has none.' }),
  route: Type.Unknown({ description: 'The route that the payout took, as the route was then.' }),
  rail_reference: Type.String({
    description: 'The reference of the bank for the payout; empty if there is none.',
  }),
  taken_by: Type.String({ description: 'Who pays the payout by hand; empty if nobody does.' }),
  taken_at: textOrNull({ format: 'date-time' }),
  send: Money,
  ultimate_debtor: UltimateDebtor,
  payout: PayoutResponse,
}

export const OperatorPayout = Type.Object(MEMBERS, {
  title: 'OperatorPayout',
  description: 'A payout with what only operators see.',
})

export const OperatorPayoutInFull = Type.Object(
  {
    ...MEMBERS,
    account_name: Type.String(),
    under_review: Type.Boolean({ description: 'Whether an exception of its rail is open.' }),
    exceptions: Type.Array(ExceptionResponse, { description: 'The open exceptions.' }),
    why_not_taken: Type.Array(Type.String(), {
      description:
        'A sentence for each rail that could not carry the payout, or has not taken it: why, and ' +
        'what would make it fit.',
    }),
    screening: textOrNull({
      description:
        'Why screening holds the payout: `waits`, `open` or `confirmed`; null if it does not.',
    }),
    waits_for_funds_of: textOrNull({
      description: 'The account at a bank that does not cover it yet; null if it does not wait.',
    }),
    waits_for_funds_since: textOrNull({ format: 'date-time' }),
    timeline: Type.Array(Type.Unknown(), {
      description: 'As `GET /v3/payout/{id}/timeline` has it, with what only operators see.',
    }),
  },
  { title: 'OperatorPayoutInFull', description: 'A payout, its history, and what it waits for.' },
)

export interface ShownPayout {
  readonly account: Account
  readonly source: TimelineSource
  readonly held: HeldByScreening | undefined
  readonly exceptions: readonly RailException[]
  /** The names of the keys of its account, by id. */
  readonly key_names: ReadonlyMap<string, string>
}

export async function showPayout(audit: Sql, payout_id: string): Promise<ShownPayout> {
  const account_id = await accountIdOf(audit, 'payout', payout_id)
  const key = { account_id, id: payout_id }
  const account = (await listAccounts(audit)).find(known => known.account_id === account_id)
  const held = await findHeldByScreening(audit, key)
  const exceptions = await findExceptions(audit, [key])
  const source = await findTimeline(audit, key)
  const keys = await listKeysOfAccount(audit, account_id)
  const key_names = new Map(keys.map(({ key_id, name }) => [key_id, name]))
  const shown = source && account && { account, source, held, exceptions, key_names }
  return known('payout', payout_id, shown)
}

/** The payout as its account sees it, and members for operators alone. */
export function presentForOperators(payout: Payout) {
  const { account_id, made_by, rail, route, rail_reference, taken_by, taken_at } = payout
  return {
    account_id,
    made_by,
    rail,
    route,
    rail_reference,
    taken_by,
    taken_at,
    send: {
      amount: amountToJson(payout.destination_amount),
      currency: payout.destination_currency,
    },
    ultimate_debtor: payout.particulars.ultimate_debtor,
    payout: presentPayout(payout),
  }
}

function presentFunds({ payout, handOver }: TimelineSource) {
  const waits_for_funds_of = nostroAwaited(payout, handOver)
  const since = waits_for_funds_of === null ? null : handOver.awaits_funds_since
  return { waits_for_funds_of, waits_for_funds_since: since }
}

export function presentInFull({ account, source, held, exceptions }: ShownPayout) {
  const { items, under_review } = presentTimeline(source, 'operator')
  return {
    ...presentForOperators(source.payout),
    account_name: account.name,
    under_review,
    exceptions: exceptions.filter(one => one.closed_at === null).map(presentException),
    why_not_taken: sentencesOf(makeTimeline(source).filter(item => item.kind === 'attempt')),
    screening: held?.screening ?? null,
    ...presentFunds(source),
    timeline: items,
  }
}
