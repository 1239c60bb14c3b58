// GET /v3/operator/exception, and POST /v3/operator/payout/{id}/close_exception.
import { pathId } from '../http/docs.ts'
import { Closed, Id, optional, Text, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { idPattern } from '../id.ts'
import { type ExceptionCursor, listOpenExceptions } from '../rail/exception-store.ts'
import { operatorOf } from './desk.ts'
import type { DeskRoutes } from './desk-routes.ts'
import { closeOpenException, MAX_NOTE, presentException } from './exceptions.ts'
import { AccountId, checkWords, LimitText } from './request.ts'

const After = Type.String({
  pattern: `${idPattern('pot').slice(0, -1)}:[1-9][0-9]{0,8}$`,
  description: '`payout:number`: the page starts with what follows it.',
  examples: ['pot_01m7xpm2m0c6hkd4r9ye:1'],
})

/** The exception after which the page starts, from `payout:number`; `:0` is before the first. */
function cursorOf(starting_after: string): ExceptionCursor {
  const [payout_id = '', number = '0'] = starting_after.split(':')
  return { payout_id, number: Number(number) }
}

export const ExceptionResponse = Type.Object(
  {
    account: AccountId,
    payout: Id('pot', 'Payout id.'),
    number: Type.Integer({ description: 'Counted from 1 within the payout.' }),
    attempt: Type.Integer(),
    rail: Type.String(),
    kind: Type.String(),
    message: Type.String(),
    opened_at: Timestamp,
  },
  {
    title: 'RailException',
    description:
      'What a person must look at. The payout does not move until then, except with these kinds: ' +
      'with `credit_unmarked` the bank’s reports count meanwhile; with `change_notified` and ' +
      '`return_answered` nothing waits, and the message has the day by which the bank expects an ' +
      'answer.',
  },
)

const CloseRequest = Closed(
  {
    number: Type.Integer({ minimum: 1, maximum: 999_999_999 }),
    note: Text(MAX_NOTE, { minLength: 1, description: 'What you found and did; one line.' }),
  },
  { title: 'CloseException' },
)

const ClosedResponse = Type.Object(
  {
    payout: Id('pot', 'Payout id.'),
    exception: Type.Integer(),
    asked: Type.Boolean({ description: 'Whether Corridor asks the rail again.' }),
  },
  { title: 'ClosedException' },
)

export function deskExceptionRoutes(routes: DeskRoutes): void {
  routes.page('/v3/operator/exception', {
    operationId: 'listExceptions',
    summary: 'List payouts that a person must look at, the oldest first.',
    querystring: Closed(
      optional({
        limit: LimitText,
        starting_after: After,
        payout: Id('pot', 'Only exceptions of this payout.'),
      }),
    ),
    item: ExceptionResponse,
    find: ({ starting_after = ':0', payout = null }, { audit }, limit) =>
      listOpenExceptions(audit, cursorOf(starting_after), limit + 1, payout),
    present: presentException,
  })
  routes.change('/v3/operator/payout/:id/close_exception', {
    act: 'rail close-exception',
    actsAgain: true,
    config: { asksPassword: true, check: checkWords },
    operationId: 'closeException',
    summary: 'Close an exception of a payout, and record what you found.',
    description:
      'Closing an exception moves no money. Ask the bank or the provider first what it has ' +
      'done with the attempt.',
    params: pathId('pot'),
    body: CloseRequest,
    response: ClosedResponse,
    async change(sql, request, { audit }) {
      const { id } = request.params
      const closing = { ...request.body, closed_by: operatorOf(request).name }
      const asked = await closeOpenException({ audit, sql }, id, closing)
      return { payout: id, exception: closing.number, asked }
    },
  })
}
