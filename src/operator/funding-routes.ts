// POST /v3/operator/fund, /withdraw and /adjust, and /balance_transaction/{id}/reverse.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Account } from '../account/rules.ts'
import type { Reason } from '../errors.ts'
import type { Booking } from '../funding/rules.ts'
import { send } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import { Envelope } from '../http/schema.ts'
import { newId } from '../id.ts'
import { Unknown } from './deed.ts'
import { callOf, type OfDesk, operatorOf } from './desk.ts'
import { booking, checkProof, checkSplit, reversal } from './funding.ts'
import { BookingResponse, presentBooking } from './funding-response.ts'
import {
  Adjustment,
  checkMoney,
  checkWords,
  FundAccount,
  type Named,
  ReasonRequest,
  Withdrawal,
} from './request.ts'

interface Needs extends OfDesk {
  readonly reference: { current(): { readonly accounts: ReadonlyMap<string, Account> } }
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

export function fundingRoutes(app: FastifyInstance, deps: Needs): void {
  fundRoute(app, deps)
  bookingRoute(app, deps, Withdrawal, {
    name: 'withdraw',
    summary: 'Book money that leaves an account other than by a payout.',
    description: 'Send the money by your bank; this books it. No balance goes below zero.',
    read: ({ amount, ...asked }) => ({
      ...asked,
      kind: 'withdrawal',
      amount: -BigInt(amount),
      source: newId('wdr'),
    }),
  })
  bookingRoute(app, deps, Adjustment, {
    name: 'adjust',
    summary: 'Correct a balance, up or down.',
    description: 'The other side, the ledger code `adjustments`, is the operator’s.',
    read: ({ amount, ...asked }) => ({
      ...asked,
      kind: 'adjustment',
      amount: BigInt(amount),
      source: newId('adj'),
    }),
  })
  reverseRoute(app, deps)
}

type Asked = Omit<Booking, 'by'>

function fundRoute(app: FastifyInstance, deps: Needs): void {
  app.post<{ Body: FundAccount }>(
    '/v3/operator/fund',
    {
      config: { scope: 'installation_write', asksPassword: true, check: checkFunding },
      schema: operationDocs({
        operationId: 'fundAccount',
        summary: 'Credit an account with money that has come in.',
        description:
          'A balance transaction of type `escrow`. A reference funds an account once; one that ' +
          'has funded another live account is refused, unless `split` says that the payment is ' +
          'split over accounts.',
        body: FundAccount,
        response: Envelope(BookingResponse),
        idempotent: true,
        refusals: [...REFUSALS, 'source_already_used'],
      }),
    },
    async (request, reply) => {
      const { account_id, currency, reference = '', split = false, source } = request.body
      checkProof(accountOf(deps, account_id), reference)
      const asked: Asked = {
        kind: 'funding',
        account_id,
        currency,
        amount: BigInt(request.body.amount),
        source: source ?? newId('esc'),
        reference,
        reason: '',
        split,
      }
      return send(reply, await book(deps, request, 'fund', asked))
    },
  )
}

function checkFunding(body: FundAccount): void {
  checkMoney(body)
  checkSplit(body.split === true, body.reference ?? '')
}

interface BookingRoute {
  readonly name: 'withdraw' | 'adjust'
  readonly summary: string
  readonly description: string
  read(asked: Withdrawal): Asked
}

function bookingRoute(
  app: FastifyInstance,
  deps: Needs,
  body: typeof Withdrawal | typeof Adjustment,
  { name, summary, description, read }: BookingRoute,
): void {
  app.post<{ Body: Withdrawal }>(
    `/v3/operator/${name}`,
    {
      config: { scope: 'installation_write', asksPassword: true, check: checkMoney },
      schema: operationDocs({
        operationId: `${name}Money`,
        summary,
        description,
        body,
        response: Envelope(BookingResponse),
        idempotent: true,
        refusals: [...REFUSALS, 'insufficient_balance'],
      }),
    },
    async (request, reply) => {
      accountOf(deps, request.body.account_id)
      return send(reply, await book(deps, request, name, read(request.body)))
    },
  )
}

function book(deps: Needs, request: FastifyRequest, name: string, asked: Asked) {
  const call = callOf(request, name)
  const deed = booking(operatorOf(request), asked)
  return deps.desk.answer(call, deed, presentBooking)
}

function reverseRoute(app: FastifyInstance, deps: Needs): void {
  app.post<Named & { Body: ReasonRequest }>(
    '/v3/operator/balance_transaction/:id/reverse',
    {
      config: { scope: 'installation_write', asksPassword: true, check: checkWords },
      schema: operationDocs({
        operationId: 'reverseBooking',
        summary: 'Take back what was funded, withdrawn or adjusted, once.',
        description: 'The whole amount goes back; its reference stays used.',
        params: pathId('btr'),
        body: ReasonRequest,
        response: Envelope(BookingResponse),
        idempotent: true,
        refusals: [
          'not_found',
          'account_frozen',
          'account_closed',
          'not_reversible',
          'already_reversed',
          'insufficient_balance',
          'balance_limit_exceeded',
        ],
      }),
    },
    async (request, reply) => {
      const { id } = request.params
      const call = callOf(request, 'reverse')
      const deed = await reversal(deps.desk.audit, operatorOf(request), id, request.body.reason)
      return send(reply, await deps.desk.answer(call, deed, presentBooking))
    },
  )
}

/** The account of this id. Refuses (404) an id that no account has. */
function accountOf({ reference }: Needs, account_id: string): Account {
  const account = reference.current().accounts.get(account_id)
  if (account === undefined) throw new Unknown('account', account_id)
  return account
}
