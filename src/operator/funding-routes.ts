// POST /v3/operator/fund, /withdraw and /adjust, and /balance_transaction/{id}/reverse.
import type { FastifyRequest } from 'fastify'
import type { Account } from '../account/rules.ts'
import {
  BalanceTransactionResponse,
  presentBalanceTransaction,
} from '../balance-transaction/response.ts'
import type { Reason } from '../errors.ts'
import type { Booking, BookingOutcome } from '../funding/rules.ts'
import { pathId } from '../http/docs.ts'
import { Minor } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { newId } from '../id.ts'
import { amountToJson } from '../money/json.ts'
import { known } from './deed.ts'
import { callOf, type Desk, operatorOf } from './desk.ts'
import type { DeskRoutes } from './desk-routes.ts'
import { bookingDeed, checkReference, checkSplit, reversalDeed } from './funding.ts'
import {
  AccountId,
  Adjustment,
  checkMoney,
  checkWords,
  FundAccount,
  ReasonRequest,
  Withdrawal,
} from './request.ts'

interface Needs {
  readonly reference: { current(): { readonly accounts: ReadonlyMap<string, Account> } }
}

const BookingResponse = Type.Object(
  {
    account_id: AccountId,
    by: Type.String({ description: 'The person who has booked it.' }),
    balance_before: Minor,
    balance_after: Minor,
    balance_transaction: BalanceTransactionResponse,
  },
  { title: 'Booking', description: 'What was booked, and the balance before and after it.' },
)

function presentBooking({ entries: [{ line }], balance_before }: BookingOutcome) {
  return {
    account_id: line.account_id,
    by: line.metadata.by ?? '',
    balance_before: amountToJson(balance_before),
    balance_after: amountToJson(line.balance_after),
    balance_transaction: presentBalanceTransaction(line),
  }
}

const REFUSALS: readonly Reason[] = [
  'not_found',
  'account_frozen',
  'account_closed',
  'currency',
  'holding_currency_not_found',
  'amount_out_of_range',
  'reference_already_used',
  'balance_limit_exceeded',
]

export function fundingRoutes(routes: DeskRoutes, deps: Needs): void {
  fundRoute(routes, deps)
  bookingRoute(routes, deps, Withdrawal, {
    name: 'withdraw',
    summary: 'Book money that leaves an account by other means than a payout.',
    description:
      'Send the money through your bank; this call only books it. No balance goes below zero.',
    read: ({ amount, ...asked }) => ({
      ...asked,
      kind: 'withdrawal',
      amount: -BigInt(amount),
      source: newId('wdr'),
    }),
  })
  bookingRoute(routes, deps, Adjustment, {
    name: 'adjust',
    summary: 'Correct a balance, up or down.',
    description:
      'The other side of the booking, the ledger code `adjustments`, belongs to the operator.',
    read: ({ amount, ...asked }) => ({
      ...asked,
      kind: 'adjustment',
      amount: BigInt(amount),
      source: newId('adj'),
    }),
  })
  reverseRoute(routes)
}

type AskedBooking = Omit<Booking, 'by'>

function fundRoute(routes: DeskRoutes, deps: Needs): void {
  routes.write('/v3/operator/fund', {
    config: { asksPassword: true, check: checkFunding },
    operationId: 'fundAccount',
    summary: 'Credit an account with money that has come in.',
    description:
      'The credit is a balance transaction of type `escrow`. A reference funds an account ' +
      'once. A reference that has funded another live account is refused, unless `split` ' +
      'confirms that the payment is split over several accounts.',
    body: FundAccount,
    response: BookingResponse,
    idempotent: true,
    refusals: [...REFUSALS, 'source_already_used'],
    answer(request, desk) {
      const { account_id, currency, amount, reference = '', split = false, source } = request.body
      checkReference(accountOf(deps, account_id), reference)
      return book(desk, request, 'fund', {
        kind: 'funding',
        account_id,
        currency,
        amount: BigInt(amount),
        source: source ?? newId('esc'),
        reference,
        reason: '',
        split,
      })
    },
  })
}

function checkFunding(body: FundAccount): void {
  checkMoney(body)
  checkSplit(body.split === true, body.reference ?? '')
}

interface BookingRoute {
  readonly name: 'withdraw' | 'adjust'
  readonly summary: string
  readonly description: string
  /** Makes the booking from the body. */
  read(body: Withdrawal): AskedBooking
}

function bookingRoute(
  routes: DeskRoutes,
  deps: Needs,
  body: typeof Withdrawal | typeof Adjustment,
  { name, read, ...docs }: BookingRoute,
): void {
  routes.write(`/v3/operator/${name}`, {
    config: { asksPassword: true, check: checkMoney },
    operationId: `${name}Money`,
    ...docs,
    body,
    response: BookingResponse,
    idempotent: true,
    refusals: [...REFUSALS, 'insufficient_balance'],
    answer(request, desk) {
      accountOf(deps, request.body.account_id)
      return book(desk, request, name, read(request.body))
    },
  })
}

function book(desk: Desk, request: FastifyRequest, name: string, asked: AskedBooking) {
  return desk.answer(
    callOf(request, name),
    bookingDeed(operatorOf(request).name, asked),
    presentBooking,
  )
}

function reverseRoute(routes: DeskRoutes): void {
  routes.write('/v3/operator/balance_transaction/:id/reverse', {
    config: { asksPassword: true, check: checkWords },
    operationId: 'reverseBooking',
    summary: 'Reverse a funding, a withdrawal or an adjustment, once.',
    description: 'The whole amount is reversed; its reference stays used.',
    params: pathId('btr'),
    body: ReasonRequest,
    response: BookingResponse,
    idempotent: true,
    refusals: [
      'account_frozen',
      'account_closed',
      'not_reversible',
      'already_reversed',
      'insufficient_balance',
      'balance_limit_exceeded',
    ],
    async answer(request, desk) {
      const { params, body } = request
      const call = callOf(request, 'reverse')
      const deed = await reversalDeed(desk.audit, operatorOf(request).name, params.id, body.reason)
      return desk.answer(call, deed, presentBooking)
    },
  })
}

/** The account of this id. Refuses (404) an unknown id. */
function accountOf({ reference }: Needs, account_id: string): Account {
  return known('account', account_id, reference.current().accounts.get(account_id))
}
