// Lists, sets and removes rows of the fee schedule.
import {
  Amount,
  Closed,
  CountryCode,
  CurrencyCode,
  integerOrNull,
  Literals,
  MINOR_OF,
  Minor,
  optional,
  Text,
  textOrNull,
} from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { HistoricRow } from '../ledger/audit/store.ts'
import { type AskedFee, judgeFee, judgeSubject } from '../prices/fee/asked-fee.ts'
import { findFeeMistakes } from '../prices/fee/guard.ts'
import { describeFee, describeSubject, feeCells, MAX_BPS, presentFee } from '../prices/fee/load.ts'
import { type Fee, type FeeKey, selectFee } from '../prices/fee/rules.ts'
import { deleteFee, listFees, lockFees, replaceFees, upsertFees } from '../prices/fee/store.ts'
import { PRICED_TYPES } from '../quotes/quote.ts'
import { CHARGE_TYPES } from '../quotes/request.ts'
import type { Sql, TransactionSql } from '../sql/connect.ts'
import { refusal, refuseIfAny } from '../values/errors.ts'
import { omitUndefined } from '../values/omit-undefined.ts'
import { type Acting, type ActionGroup, reading, writing } from './action.ts'
import { VOCABULARY } from './fee-vocabulary.ts'
import { ForceMistake, MAX_MINOR } from './request.ts'

const SUBJECT = {
  payout_type: Literals(PRICED_TYPES),
  ...optional({
    payout_currency: CurrencyCode,
    destination_country: CountryCode,
    network: Text(64, { minLength: 1 }),
    charge_type: Literals(CHARGE_TYPES),
  }),
}

const FeeSubject = Closed(SUBJECT, {
  title: 'FeeSubject',
  description: 'The payouts that the row is for. A member that is left out is any.',
})
const AmountOrZero = Type.Integer({
  minimum: 0,
  maximum: MAX_MINOR,
  [MINOR_OF]: 'fee_currency',
})
const Bound = { ...Amount, [MINOR_OF]: 'fee_currency' }

const SetFee = Closed(
  {
    ...SUBJECT,
    fixed_amount: Type.Optional(AmountOrZero),
    fee_currency: CurrencyCode,
    ...optional({
      variable_bps: Type.Integer({ minimum: 0, maximum: MAX_BPS }),
      minimum_amount: Bound,
      maximum_amount: Bound,
      force: ForceMistake,
    }),
  },
  {
    title: 'SetFee',
    description:
      'Amounts are in minor units of `fee_currency`. A row that costs nothing has 0 as its ' +
      'amounts.',
  },
)
const FeeRow = Type.Object(
  {
    payout_type: Type.String(),
    payout_currency: textOrNull(),
    destination_country: textOrNull(),
    network: textOrNull(),
    charge_type: textOrNull(),
    fixed_amount: Minor,
    fee_currency: Type.String(),
    variable_bps: Type.Integer(),
    minimum_amount: integerOrNull(),
    maximum_amount: integerOrNull(),
    sample: Type.Boolean({
      description: 'Whether the row is a sample that came with Corridor, for sandboxes only.',
    }),
  },
  { title: 'FeeRow', description: 'A row of the fee schedule; null is any or none.' },
)

const ChangedFee = Type.Object(
  { fee: FeeRow, previous: Type.Union([FeeRow, Type.Null()]) },
  { title: 'ChangedFee', description: 'The new row, and the row that it has replaced.' },
)

const OPTIONS = {
  payout_type: 'the payouts that the row is for',
  payout_currency: 'only payouts in this currency',
  destination_country: 'only payouts to this country, ISO 3166-1 alpha-2',
  network: 'only payouts over this local network, payment network or chain',
  charge_type: 'only swift payouts with this charge type',
  fixed_amount: 'fixed part, in major units such as 1.00',
  fee_currency: 'currency of the amounts',
  variable_bps: 'variable part in basis points of the holding amount',
  minimum_amount: 'least variable part, in major units',
  maximum_amount: 'greatest variable part, in major units',
  force: 'set what is likely a typing mistake',
}

const list = reading({
  name: 'fees list',
  path: '/v3/operator/fee',
  operationId: 'listFees',
  summary: 'List the fee schedule.',
  response: FeeRow,
  list: true,
  find: async audit => (await listFees(audit)).map(presentFee),
  command: {
    words: rows => rows.map(row => columnsOf(feeOf(row))),
    none: 'no fee: payouts of live accounts are refused; corridor fees set adds one',
    help: '\nExample:\n  corridor fees list',
  },
})

const SET_HELP = `
Examples:
  corridor fees set --payout-type local --payout-currency HKD \\
    --network chats --fixed-amount 0.50 --fee-currency USD --variable-bps 5
  corridor fees set --payout-type service_account \\
    --fixed-amount 0 --fee-currency USD

A live account's payout that no row fits is refused. One that costs nothing
needs a row that says so. A likely mistake is refused without --force: a
variable part over 1000 bps, and of the row until now any part ten times as high
or more, a tenth or less that is not 0, or another currency.`

const set = writing({
  name: 'fees set',
  path: '/v3/operator/fee',
  operationId: 'setFee',
  summary: 'Add a row of the fee schedule, or replace the one for the same payouts.',
  body: SetFee,
  asksPassword: true,
  response: ChangedFee,
  refusals: ['currency', 'likely_mistake'],
  run: (acting, { force = false, ...asked }) =>
    acting.change(sql => setFee(sql, acting, askedFee(asked), force)),
  command: {
    words: (_, said) => said,
    json: ({ fee, previous }) => ({ ...fee, replaced: previous !== null, previous }),
    options: OPTIONS,
    help: SET_HELP,
  },
})

const remove = writing({
  name: 'fees remove',
  path: '/v3/operator/fee/remove',
  operationId: 'removeFee',
  summary: 'Remove the row of the fee schedule for exactly these payouts.',
  body: FeeSubject,
  asksPassword: true,
  response: FeeRow,
  refusals: ['currency', 'not_found'],
  run(acting, asked) {
    const { key, problems } = judgeSubject(asked, VOCABULARY)
    refuseIfAny(problems)
    return acting.change(sql => removeFee(sql, acting, key))
  },
  command: {
    words: (_, said) => said,
    json: fee => ({ removed: fee }),
    options: OPTIONS,
    help: `
Example:
  corridor fees remove --payout-type local --payout-currency HKD \\
    --network chats`,
  },
})

export const fees: ActionGroup = {
  actions: [list, set, remove],
  history: {
    table_name: 'fees',
    description: 'list what changed in the fee schedule, newest first',
    argument: { name: 'type', meaning: 'only this payout type', read: readType },
    subject: row => describeSubject(feeOfHistory(row)),
    describe: row => describeFee(feeOfHistory(row)),
    example: 'fees history local',
  },
}

function readType(payout_type: string): HistoricRow {
  if (PRICED_TYPES.some(known => known === payout_type)) return { payout_type }
  const message = `a payout type is one of ${PRICED_TYPES.join(', ')}, not "${payout_type}"`
  throw refusal('invalid_field', message)
}

function feeOfHistory(row: HistoricRow): Fee {
  const amount = (name: string) => (row[name] == null ? null : BigInt(row[name]))
  return {
    payout_type: row.payout_type ?? '',
    payout_currency: row.payout_currency ?? null,
    destination_country: row.destination_country ?? null,
    network: row.network ?? null,
    charge_type: row.charge_type ?? null,
    fixed_amount: amount('fixed_amount') ?? 0n,
    fee_currency: row.fee_currency ?? '',
    variable_bps: Number(row.variable_bps),
    minimum_amount: amount('minimum_amount'),
    maximum_amount: amount('maximum_amount'),
    sample: row.sample === 'true',
  }
}

function askedFee({
  fixed_amount,
  minimum_amount,
  maximum_amount,
  ...asked
}: Omit<AskedFee, AmountMember> & Partial<Record<AmountMember, number>>): AskedFee {
  const exact = (amount: number | undefined) => (amount === undefined ? amount : BigInt(amount))
  const amounts = {
    fixed_amount: exact(fixed_amount),
    minimum_amount: exact(minimum_amount),
    maximum_amount: exact(maximum_amount),
  }
  return { ...asked, ...omitUndefined(amounts) }
}

type AmountMember = 'fixed_amount' | 'minimum_amount' | 'maximum_amount'

async function setFee(sql: Sql, acting: Acting<unknown>, asked: AskedFee, force: boolean) {
  const { fee, problems } = judgeFee(asked, VOCABULARY)
  refuseIfAny(problems)
  const before = await setFees(sql, [fee], { force })
  const previous = sameRow(before, fee)
  acting.say(`${describeRow(fee)}; ${describeBefore(before, fee)}`)
  return { fee: presentFee(fee), previous: previous === undefined ? null : presentFee(previous) }
}

/** Refuses (404) if there is no such row. */
async function removeFee(sql: Sql, acting: Acting<unknown>, key: FeeKey) {
  const before = await changeFees(sql, async tx => {
    if (await deleteFee(tx, key)) return
    throw refusal('not_found', `no row is for exactly ${describeSubject(key)}`)
  })
  const removed = sameRow(before, key)
  if (removed === undefined) throw new Error('a fee was removed that was not listed')
  const left = before.filter(row => row !== removed)
  acting.say(`${describeRow(removed)}: removed; from now on ${describeOthers(left, key)}`)
  return presentFee(removed)
}

interface AskedFees {
  /** Whether a person has seen the likely mistakes and confirms them. */
  readonly force: boolean
  readonly dry_run?: boolean
  /** Whether the rows become the whole schedule. */
  readonly replace?: boolean
}

/** All or none; returns the schedule before. Refuses likely mistakes. */
export function setFees(
  sql: Sql,
  fees: readonly Fee[],
  { force, dry_run = false, replace = false }: AskedFees,
): Promise<readonly Fee[]> {
  return changeFees(sql, async (tx, present) => {
    if (!force) refuseMistakes(fees, present)
    if (dry_run) return
    await (replace ? replaceFees(tx, fees) : upsertFees(tx, fees))
  })
}

/** Changes the schedule under a lock; returns the schedule before. */
function changeFees(
  sql: Sql,
  write: (tx: TransactionSql, present: readonly Fee[]) => Promise<void>,
): Promise<readonly Fee[]> {
  return sql.begin(async tx => {
    await lockFees(tx)
    const before = await listFees(tx)
    await write(tx, before)
    return before
  })
}

function refuseMistakes(fees: readonly Fee[], present: readonly Fee[]): void {
  const mistakes = fees.flatMap(fee => findFeeMistakes(fee, sameRow(present, fee)))
  if (mistakes.length > 0) throw refusal('likely_mistake', mistakes.join('; '))
}

export function sameRow(fees: readonly Fee[], fee: FeeKey): Fee | undefined {
  return fees.find(row => describeSubject(row) === describeSubject(fee))
}

export function describeRow(fee: Fee): string {
  return `${describeSubject(fee)}: ${describeFee(fee)}`
}

export function describeBefore(before: readonly Fee[], fee: Fee): string {
  const previous = sameRow(before, fee)
  if (previous === undefined) return `a new row; until now ${describeOthers(before, fee)}`
  return describeFee(previous) === describeFee(fee) ? 'as before' : `was ${describeFee(previous)}`
}

/** Says which of these rows prices, for live accounts, a payout with exactly what `key` names. */
function describeOthers(fees: readonly Fee[], key: FeeKey): string {
  const own = fees.filter(row => !row.sample)
  const other = selectFee(own, {
    payout_type: key.payout_type,
    payout_currency: key.payout_currency ?? '',
    destination_country: key.destination_country ?? '',
    network: key.network ?? '',
    charge_type: key.charge_type ?? '',
  })
  return other === undefined ? 'refused to live accounts' : `by ${describeRow(other)}`
}

function feeOf(row: ReturnType<typeof presentFee>): Fee {
  const exact = (amount: number | null) => (amount === null ? null : BigInt(amount))
  return {
    ...row,
    fixed_amount: BigInt(row.fixed_amount),
    minimum_amount: exact(row.minimum_amount),
    maximum_amount: exact(row.maximum_amount),
  }
}

function columnsOf(fee: Fee) {
  const matching = (cell: string) => cell || 'any'
  const cells = feeCells(fee)
  return {
    type: matching(cells.payout_type),
    currency: matching(cells.payout_currency),
    country: matching(cells.destination_country),
    network: matching(cells.network),
    charge: matching(cells.charge_type),
    fixed: cells.fixed_amount,
    in: cells.fee_currency,
    bps: cells.variable_bps,
    min: cells.minimum_amount,
    max: cells.maximum_amount,
    for: fee.sample ? 'sandboxes' : 'all accounts',
  }
}
