// How lines, items, matches and suggestions of a nostro are shown to operators, and named by them.
import { Literals, MinorText, Timestamp, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { type CaseKind, caseId, casePattern } from '../treasury/match/case-id.ts'
import { MATCH_RULES, type OpenItem, type OpenLine } from '../treasury/match/match.ts'
import type { ListedMatch } from '../treasury/match/match-store.ts'
import type { Listed } from '../treasury/match/open-store.ts'
import type { PaidBefore } from '../treasury/match/refund-store.ts'
import { type Candidate, RANKS } from '../treasury/match/suggest.ts'
import { moneyWords } from '../values/money/words.ts'
import { toSecond } from '../values/text/age.ts'

/** The id of a case: `line_42`. */
export function CaseId(description: string, ...kinds: readonly CaseKind[]) {
  const examples = kinds.map(kind => `${kind}_42`)
  return Type.String({ pattern: casePattern(...kinds), description, examples })
}

const LinePath = Type.Object({ id: CaseId('The line of a statement.', 'line') })
const MatchPath = Type.Object({ id: CaseId('The match.', 'match') })
const CasePath = Type.Object({
  id: CaseId('The line, item or statement.', 'line', 'item', 'statement'),
})
export const PATHS = { line: LinePath, match: MatchPath, case: CasePath }

const Day = (description: string) => Type.String({ format: 'date', description })

export const LineResponse = Type.Object(
  {
    id: CaseId('The line.', 'line'),
    nostro: Type.String(),
    amount: MinorText('Money in, or out with a minus.'),
    currency: Type.String(),
    booked_on: Day('The day on which the bank booked it.'),
    value_on: Day('Its value date.'),
    code: Type.String({ description: 'The bank’s code of the transaction.' }),
    end_to_end_id: Type.String(),
    uetr: Type.String(),
    block: Type.String({ description: 'The block of payments that it sums up.' }),
    bank_reference: Type.String(),
    counterparty: Type.String({ description: 'The other account.' }),
    counterparty_name: Type.String(),
    text: Type.String(),
    match: textOrNull({ description: 'Its match; null while it is open.' }),
  },
  { title: 'BankLine', description: 'A line of a bank’s statement.' },
)

export const ItemResponse = Type.Object(
  {
    id: CaseId('The item.', 'item'),
    nostro: Type.String({ description: 'Empty while no nostro is known.' }),
    amount: MinorText('Money in, or out with a minus.'),
    currency: Type.String(),
    booked_at: Timestamp,
    value_on: Day('The day on which the books have it.'),
    kind: Type.String(),
    account: Type.String({ description: 'Empty for a journal of the house.' }),
    payout: Type.String({ description: 'Empty for other items.' }),
    rail: Type.String(),
    key: Type.String({ description: 'The reference that the bank returns.' }),
    block: Type.String({ description: 'The block of payments in which it was sent.' }),
    payee_name: Type.String({ description: 'The payee; else the name of the account.' }),
    payee_account: Type.String(),
    match: textOrNull({ description: 'Its match; null while it is open.' }),
  },
  { title: 'NostroItem', description: 'What the books expect at the bank.' },
)

export const CandidateResponse = Type.Object(
  {
    rank: Type.Integer({ description: 'The lower, the better.' }),
    rule: Type.String(),
    reason: Type.String({ description: 'Why it may explain the line.' }),
    rest: MinorText('What the lines have more, or less, than the items.'),
    items: Type.Array(ItemResponse),
    lines: Type.Array(LineResponse, { description: 'Further lines that belong to it.' }),
  },
  { title: 'MatchCandidate' },
)

export const RefundResponse = Type.Object(
  {
    payout: Type.String(),
    account: Type.String(),
    amount: MinorText('What it has paid.'),
    currency: Type.String(),
    paid_at: Timestamp,
    next: Type.String({ description: 'What a person types if the line gives it back.' }),
  },
  { title: 'PossibleRefund', description: 'A payout that has paid the payer of the line.' },
)

export const MatchResponse = Type.Object(
  {
    id: CaseId('The match.', 'match'),
    nostro: Type.String(),
    at: Timestamp,
    rule: Literals(MATCH_RULES, { description: 'Why they are matched.' }),
    by: Type.String({ description: 'Who matched them; empty for a rule.' }),
    note: Type.String(),
    amount: MinorText('The sum of its lines, and of its items.'),
    lines: Type.Array(Type.String(), { description: 'At most 20.' }),
    line_count: Type.Integer(),
    items: Type.Array(Type.String(), { description: 'At most 20.' }),
    item_count: Type.Integer(),
    undone_at: textOrNull({ format: 'date-time', description: 'Null while it holds.' }),
    undone_by: Type.String(),
    undo_note: Type.String(),
  },
  { title: 'NostroMatch', description: 'Lines of a bank and items of the books of one sum.' },
)

export function presentMatch(match: ListedMatch) {
  const { id, sum, lines, items, nostro, at, rule, by, note } = match
  const { line_count, item_count, undone_at, undone_by, undo_note } = match
  return {
    ...{ id: caseId('match', id), nostro, at, rule, by, note, amount: String(sum) },
    ...{ lines: lines.map(one => caseId('line', BigInt(one))), line_count },
    ...{ items: items.map(one => caseId('item', BigInt(one))), item_count },
    ...{ undone_at, undone_by, undo_note },
  }
}

const matchOf = (match: bigint | null) => (match === null ? null : caseId('match', match))

export function presentLine(line: Listed<OpenLine>) {
  const { id, nostro, amount, currency, booked_on, value_on, code, end_to_end_id, uetr } = line
  const { block, bank_reference, counterparty, counterparty_name, text, match } = line
  return {
    ...{ id: caseId('line', id), nostro, amount: String(amount), currency, booked_on, value_on },
    ...{ code, end_to_end_id, uetr, block, bank_reference, counterparty, counterparty_name, text },
    match: matchOf(match),
  }
}

export function presentItem(item: Listed<OpenItem>) {
  const { id, nostro, amount, currency, booked_at, value_on, kind, account_id, payout_id } = item
  const { rail, key, block, payee_name, payee_account, match } = item
  return {
    ...{ id: caseId('item', id), nostro, amount: String(amount), currency, booked_at, value_on },
    ...{ kind, account: account_id, payout: payout_id, rail, key, block, payee_name },
    ...{ payee_account, match: matchOf(match) },
  }
}

export function presentCandidate({ rule, items, lines, rest, reason }: Candidate) {
  return {
    ...{ rank: RANKS[rule], rule, reason, rest: String(rest) },
    items: items.map(item => presentItem({ ...item, match: null })),
    lines: lines.map(line => presentLine({ ...line, match: null })),
  }
}

/**
 * A refund of the whole reverses its payout, at the payee's wish: who chooses the moment must gain
 * nothing by the rate. For another amount its account is credited.
 */
export function presentRefund(line: OpenLine, paid: PaidBefore) {
  const { payout_id: payout, account_id: account, amount, currency, paid_at } = paid
  const id = caseId('line', line.id)
  const next =
    amount === line.amount
      ? `corridor payout transition ${payout} reversed --at-wish --reason "Sent back by the payee"`
      : `corridor nostro credit ${id} ${account} --reason "Refund of ${payout}"`
  return { payout, account, amount: String(amount), currency, paid_at, next }
}

type Shown<Row> = { readonly [K in keyof Row]: Row[K] }
export type ShownLine = Shown<ReturnType<typeof presentLine>>
export type ShownItem = Shown<ReturnType<typeof presentItem>>
export type ShownCandidate = Shown<ReturnType<typeof presentCandidate>>
type ShownRefund = Shown<ReturnType<typeof presentRefund>>

/** A line as a row of a table. */
export function lineColumns(line: ShownLine): Record<string, string> {
  const { id, amount, currency, booked_on, end_to_end_id, bank_reference, text, match } = line
  return {
    line: id,
    day: booked_on,
    amount: moneyWords(BigInt(amount), currency),
    key: end_to_end_id || bank_reference,
    who: line.counterparty_name || line.counterparty,
    text: text.slice(0, 40),
    ...(match !== null && { match }),
  }
}

/** An item as a row of a table. */
export function itemColumns(item: ShownItem): Record<string, string> {
  const { id, amount, currency, value_on, kind, key, payee_name, account, match } = item
  return {
    item: id,
    day: value_on,
    amount: moneyWords(BigInt(amount), currency),
    kind,
    key,
    who: payee_name || account,
    ...(match !== null && { match }),
  }
}

/** A payout that a line may give back, as a row of a table. */
export function refundColumns(refund: ShownRefund): Record<string, string> {
  const { payout, account, amount, currency, paid_at, next } = refund
  return {
    ...{ 'a refund of?': payout, account, paid: moneyWords(BigInt(amount), currency) },
    ...{ at: toSecond(paid_at), 'if so': next },
  }
}
