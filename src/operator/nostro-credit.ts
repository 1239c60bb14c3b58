// A person credits money in suspense to an account.
import { Closed } from '../http/schema.ts'
import { bookingOf } from '../treasury/credit.ts'
import { caseNumber } from '../treasury/match/case-id.ts'
import { invalidField, refuseIfAny } from '../values/errors.ts'
import { writing } from './action.ts'
import { BookingResponse, book, REFUSALS, SHOWN } from './funding.ts'
import { inTurnOfLine } from './line-turn.ts'
import { PATHS } from './nostro-shown.ts'
import { accountNamed } from './operator-write.ts'
import { AccountId, Reason } from './request.ts'

const CreditRequest = Closed({ account_id: AccountId, reason: Reason }, { title: 'CreditLine' })

export const credit = writing({
  name: 'nostro credit',
  path: '/v3/operator/nostro_line/:id/credit',
  operationId: 'creditLine',
  summary: 'Credit an account with money in suspense.',
  description:
    'The line of the bank funds one account, once: its own reference is that of the booking. Its ' +
    'item then matches it.',
  params: PATHS.line,
  body: CreditRequest,
  response: BookingResponse,
  refusals: [...REFUSALS, 'invalid_transition', 'source_already_used'],
  asksPassword: true,
  async run(acting, { id, account_id, reason }) {
    const kept = await acting.keptOf(account_id)
    if (kept !== null) return kept
    const { sandbox } = await accountNamed(acting.audit, account_id)
    refuseIfAny(sandbox ? [invalidField('account_id', 'a sandbox has no money at a bank')] : [])
    const given = { to: account_id, alone: true }
    return inTurnOfLine(acting, caseNumber('line', id), given, line =>
      book(acting, bookingOf(line, account_id, acting.operator.name, reason)),
    )
  },
  command: {
    ...SHOWN,
    subject: 'line',
    listed: 'corridor report suspense',
    arguments: ['account_id'],
    options: {
      account_id: 'account id',
      reason: 'why it is theirs; the account reads it in its statement',
    },
    help: `
A payment that is for several accounts: corridor fund --split, then
corridor nostro match.

Example:
  corridor nostro credit line_42 acc_7k2m9x4q --reason "Invoice 118, by mail"`,
  },
})
