// Books money on accounts: what came in, what left without a payout, corrections, reversals.
import { pathId } from '../http/docs.ts'
import {
  Closed,
  CurrencyCode,
  MINOR_OF,
  MinorText,
  optional,
  REASON,
  Text,
} from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Act } from '../ledger/audit/act.ts'
import type { Sql } from '../sql/connect.ts'
import {
  BalanceTransactionResponse,
  presentBalanceTransaction,
} from '../statements/balance-transaction/response.ts'
import { findAccountOfLine } from '../statements/balance-transaction/store.ts'
import { bookMoney, reverseBooking } from '../statements/funding/operations.ts'
import type { Booking, BookingOutcome } from '../statements/funding/rules.ts'
import { isMisspeltLine, lineOfSource } from '../treasury/funding-key.ts'
import { caseId } from '../treasury/match/case-id.ts'
import { invalidField, type Reason as Refused, refuseIfAny } from '../values/errors.ts'
import { newId } from '../values/id.ts'
import { currencyExponent } from '../values/money/currency.ts'
import { formatMajor } from '../values/money/decimal.ts'
import { currencyProblems } from '../values/money/problem.ts'
import { moneyWords } from '../values/money/words.ts'
import { type Acting, type Action, writing } from './action.ts'
import { checkNostro, checkSmall, checkUnspent, refuseFunding } from './funding-nostro.ts'
import { inTurnOfLine } from './line-turn.ts'
import { accountNamed, known } from './operator-write.ts'
import { AccountId, MAX_MINOR, Reason, ReasonRequest, Reference } from './request.ts'

const moneyOf = (minimum: number, description: string) => ({
  account_id: AccountId,
  currency: CurrencyCode,
  amount: Type.Integer({
    minimum,
    maximum: MAX_MINOR,
    [REASON]: 'amount_out_of_range',
    [MINOR_OF]: 'currency',
    description,
    examples: [100_000],
  }),
})

/** Which of several nostros in the currency the money moves on. */
const OF_NOSTRO = optional({
  nostro: Text(40, {
    minLength: 1,
    description: 'The account at a bank, where several in the currency are for clients’ money.',
  }),
})

const IN_MINOR = 'Integer in minor units of the currency.'

export const BookingResponse = Type.Object(
  {
    account_id: AccountId,
    by: Type.String({ description: 'The person who has booked it.' }),
    balance_before: MinorText('The balance in its currency before it.'),
    balance_after: MinorText('The balance in its currency after it.'),
    balance_transaction: BalanceTransactionResponse,
  },
  { title: 'Booking', description: 'What was booked, and the balance before and after it.' },
)

function presentBooking({ entries: [{ line }], balance_before }: BookingOutcome) {
  return {
    account_id: line.account_id,
    by: line.metadata.by ?? '',
    balance_before: String(balance_before),
    balance_after: String(line.balance_after),
    balance_transaction: presentBalanceTransaction(line),
  }
}

type Booked = ReturnType<typeof presentBooking>

export const REFUSALS: readonly Refused[] = [
  'not_found',
  'account_frozen',
  'account_closed',
  'currency',
  'holding_currency_not_found',
  'amount_out_of_range',
  'reference_already_used',
  'balance_limit_exceeded',
]

export const SHOWN = {
  words({ balance_transaction: line, balance_before, balance_after }: Booked): string {
    const { id, type, currency, net, metadata, description } = line
    const major = (minor: number | string) => formatMajor(BigInt(minor), currencyExponent(currency))
    const { reference = '' } = metadata
    return (
      `${id}  ${type} ${currency} ${major(net.amount)}` +
      `${reference === '' ? '' : `, reference ${reference}`} (${description}); ` +
      `balance was ${major(balance_before)}, is ${major(balance_after)}`
    )
  },
  json: ({ balance_transaction, account_id, by, balance_before, balance_after }: Booked) => ({
    ...balance_transaction,
    account: account_id,
    by,
    balance_before,
    balance_after,
  }),
}

const OF_MONEY = {
  ...SHOWN,
  arguments: ['account_id', 'currency', 'amount'],
} as const

const MEANINGS = {
  account_id: 'account id',
  currency: 'currency code',
  amount: 'amount in major units, such as 100000.00',
  reason: 'why; the account reads it in its statement',
}

const FUND_HELP = `
Writes a balance transaction of type escrow. A live account needs --reference,
so that running the same command again credits nothing.
A reference that has funded another live account is refused, unless that was
reversed, or --split says that one payment is split over accounts.
A source funds an account once, also after a reversal: the line is then free
for other accounts.
To take back what was booked by mistake: corridor reverse btr_...

Example:
  corridor fund acc_7k2m9x4q USD 100000.00 \\
    --reference 2026112100042`

const fund = writing({
  name: 'fund',
  path: '/v3/operator/fund',
  operationId: 'fundAccount',
  summary: 'Credit an account with money that has come in.',
  description:
    'The credit is a balance transaction of type `escrow`. A reference funds an account ' +
    'once. A reference that has funded another live account is refused, unless `split` ' +
    'confirms that the payment is split over several accounts.',
  body: Closed(
    {
      ...moneyOf(1, IN_MINOR),
      ...OF_NOSTRO,
      ...optional({
        reference: Reference,
        split: Type.Boolean({
          description:
            'Confirms that the payment with this reference is split over several accounts.',
        }),
        source: Type.String({
          pattern: '^esc_[0-9A-Za-z]{1,60}$',
          description:
            'The escrow that the money came from; a source funds an account once. `esc_line42` ' +
            'is the open line 42 of a bank.',
        }),
      }),
    },
    { title: 'FundAccount', description: 'A live account needs a reference.' },
  ),
  response: BookingResponse,
  refusals: [...REFUSALS, 'invalid_transition', 'source_already_used'],
  asksPassword: true,
  async run(acting, { amount, reference = '', split = false, source = newId('esc'), ...asked }) {
    if (split && reference === '') {
      const message = 'split requires reference, which names the split payment'
      refuseIfAny([invalidField('split', message)])
    }
    const { sandbox } = await accountNamed(acting.audit, asked.account_id)
    await checkNostro(acting.audit, asked, sandbox)
    if (!sandbox && reference === '') refuseIfAny([invalidField('reference', UNPROVEN)])
    const money = { ...asked, amount: BigInt(amount), source, reference, reason: '', split }
    const booking = { kind: 'funding', ...money } as const
    const once: Readonly<Record<string, string>> = reference === '' ? { source } : {}
    if (sandbox) return book(acting, booking, once)
    if (isMisspeltLine(source)) refuseIfAny([invalidField('source', `${source} names no line`)])
    const line = lineOfSource(source)
    if (line !== undefined) return bookLine(acting, line, booking, once)
    await checkSmall(acting.audit, booking)
    await checkUnspent(acting.audit, booking)
    return book(acting, booking, once)
  },
  command: {
    ...OF_MONEY,
    options: {
      ...MEANINGS,
      reference: 'the bank’s reference; it funds an account once',
      split: 'the payment of this reference is split over several accounts',
      source: 'the escrow it came from; a source funds an account once',
    },
    help: FUND_HELP,
  },
})

const UNPROVEN =
  'a live account is funded with a reference, the bank’s: the same money is then refused when ' +
  'it is booked again by mistake'

const withdraw = writing({
  name: 'withdraw',
  path: '/v3/operator/withdraw',
  operationId: 'withdrawMoney',
  summary: 'Book money that leaves an account by other means than a payout.',
  description:
    'Send the money through your bank; this call only books it. No balance goes below zero.',
  body: Closed(
    { ...moneyOf(1, IN_MINOR), ...OF_NOSTRO, reference: Reference, reason: Reason },
    { title: 'Withdrawal' },
  ),
  response: BookingResponse,
  refusals: [...REFUSALS, 'insufficient_balance'],
  asksPassword: true,
  async run(acting, { amount, ...asked }) {
    const { sandbox } = await accountNamed(acting.audit, asked.account_id)
    await checkNostro(acting.audit, asked, sandbox)
    const money = { ...asked, amount: -BigInt(amount), source: newId('wdr') }
    return book(acting, { kind: 'withdrawal', ...money })
  },
  command: {
    ...OF_MONEY,
    options: { ...MEANINGS, reference: 'the bank’s reference; it is booked once an account' },
    help: `
Send the money by your bank; this books it, as a balance transaction of type
withdrawal. No balance goes below zero, and a frozen account pays nothing out.

Example:
  corridor withdraw acc_7k2m9x4q USD 2500.00 \\
    --reference 2026112100043 --reason "Returned on request"`,
  },
})

const adjust = writing({
  name: 'adjust',
  path: '/v3/operator/adjust',
  operationId: 'adjustMoney',
  summary: 'Correct a balance, up or down.',
  description:
    'The other side of the booking, the ledger code `adjustments`, belongs to the operator.',
  body: Closed(
    {
      ...moneyOf(-MAX_MINOR, 'Integer in minor units, not 0; negative takes from the balance.'),
      reference: Reference,
      reason: Reason,
    },
    { title: 'Adjustment' },
  ),
  response: BookingResponse,
  refusals: [...REFUSALS, 'insufficient_balance'],
  asksPassword: true,
  async run(acting, { amount, ...asked }) {
    if (amount === 0) refuseIfAny([invalidField('amount', 'An adjustment is not 0.')])
    await accountNamed(acting.audit, asked.account_id)
    const money = { ...asked, amount: BigInt(amount), source: newId('adj') }
    return book(acting, { kind: 'adjustment', ...money })
  },
  command: {
    ...OF_MONEY,
    options: {
      ...MEANINGS,
      amount: `${MEANINGS.amount} or -12.50`,
      reference: 'of the case or the bank; it is booked once an account',
    },
    help: `
Writes a balance transaction of type adjustment; its other side, the ledger code
adjustments, is yours. For money that went out take withdraw, for money that
came in take fund.

Examples:
  corridor adjust acc_7k2m9x4q USD -12.50 \\
    --reference CASE-118 --reason "Fee of the receiving bank"
  corridor adjust acc_7k2m9x4q USD 12.50 \\
    --reference CASE-119 --reason "Goodwill"`,
  },
})

const reverse = writing({
  name: 'reverse',
  path: '/v3/operator/balance_transaction/:id/reverse',
  operationId: 'reverseBooking',
  summary: 'Reverse a funding, a withdrawal or an adjustment, once.',
  description: 'The whole amount is reversed; its reference stays used.',
  params: pathId('btr'),
  body: ReasonRequest,
  response: BookingResponse,
  refusals: [
    'account_frozen',
    'account_closed',
    'not_reversible',
    'already_reversed',
    'insufficient_balance',
    'balance_limit_exceeded',
  ],
  asksPassword: true,
  async run(acting, { id, reason }) {
    const write = await reversalWrite(acting.audit, acting.operator.name, id, reason)
    return acting.write(write, { answer: presentBooking, once: {} })
  },
  command: {
    ...SHOWN,
    subject: 'balance_transaction',
    options: { id: 'its id, btr_...', reason: MEANINGS.reason },
    help: `
The whole amount goes back where it came from. What would leave a balance below
zero is refused. The reference of what was reversed stays used: book the right
amount with the reference and something after it, such as "2026112100042 B".

Example:
  corridor reverse btr_01m7xpm2mgmk83tphhg9 --reason "Credited twice"`,
  },
})

/** Books money of a line, as `nostro credit` does, and no more than the line has. */
async function bookLine<Shown>(
  acting: Acting<Shown>,
  number: bigint,
  booking: Omit<Booking, 'by'>,
  once: Readonly<Record<string, string>>,
): Promise<Shown> {
  const kept = await acting.keptOf(booking.account_id)
  if (kept !== null) return kept
  const given = { to: booking.account_id, alone: booking.split !== true }
  return inTurnOfLine(acting, number, given, ({ nostro, currency, amount }, left) => {
    const id = caseId('line', number)
    const other = (field: string, is_other: boolean, has: string) =>
      is_other ? [invalidField(field, `${id} ${has}`)] : []
    const credited = left === amount ? '' : `, and ${moneyWords(left, currency)} of it is left`
    const has = `has ${moneyWords(amount, currency)}${credited}: amount is more`
    refuseIfAny([
      ...other('nostro', (booking.nostro ?? nostro) !== nostro, `is on ${nostro}`),
      ...other('currency', booking.currency !== currency, `is in ${currency}`),
      ...other('amount', booking.amount > left, has),
    ])
    return book(acting, { ...booking, nostro }, once)
  })
}

export const funding: readonly Action[] = [fund, withdraw, adjust, reverse]

/** Books money in the name of the operator who acts. */
export function book<Shown>(
  acting: Acting<Shown>,
  asked: Omit<Booking, 'by'>,
  once: Readonly<Record<string, string>> = {},
): Promise<Shown> {
  refuseIfAny(currencyProblems('currency', asked.currency))
  return acting
    .write(bookingWrite(acting.operator.name, asked), { answer: presentBooking, once })
    .catch(refuseFunding)
}

/** `by` is the name of the operator. */
export function bookingWrite(by: string, asked: Omit<Booking, 'by'>) {
  return { operation: bookMoney, command: { ...asked, by }, act: bookingAct }
}

/** Refuses (404) an unknown id of a line. */
export async function reversalWrite(audit: Sql, by: string, id: string, reason: string) {
  const account_id = known('balance transaction', id, await findAccountOfLine(audit, id))
  const command = { account_id, id, reason, by }
  return { operation: reverseBooking, command, act: bookingAct }
}

export function bookingAct({ entries: [{ line }] }: BookingOutcome): Act {
  const { account_id, id, type, currency, net_amount, description, metadata } = line
  const { reference = '' } = metadata
  const amount = net_amount.toString()
  const after = { account_id, id, type, currency, amount, reference }
  return { table_name: 'balance_transactions', reason: description, before: null, after }
}
