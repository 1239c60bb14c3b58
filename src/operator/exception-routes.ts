// GET /v3/operator/exception, and POST /v3/operator/payout/{id}/close_exception.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { send, sendList, success } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import { ListOf } from '../http/list.ts'
import { Closed, Envelope, Id, optional, Text, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { idPattern } from '../id.ts'
import { type ExceptionCursor, listOpenExceptions } from '../rail/exception-store.ts'
import { authorOf, type OfDesk, operatorOf } from './desk.ts'
import { closeOpenException, MAX_NOTE, presentException } from './exceptions.ts'
import {
  AccountId,
  checkLimit,
  checkWords,
  LimitText,
  type Named,
  pageOf,
  type Query,
  readLimit,
} from './request.ts'

const ExceptionNumber = Type.Integer({ minimum: 1, maximum: 999_999_999 })

const After = Type.String({
  pattern: `${idPattern('pot').slice(0, -1)}:[1-9][0-9]{0,8}$`,
  description: '`payout:number`: the page starts with what follows it.',
  examples: ['pot_01m7xpm2m0c6hkd4r9ye:1'],
})

/** The exception that a page goes on after; before all without one. */
function cursorOf({ starting_after = ':0' }: Query): ExceptionCursor {
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
  { title: 'RailException', description: 'What stands still until a person has looked at it.' },
)

const CloseRequest = Closed(
  {
    number: ExceptionNumber,
    note: Text(MAX_NOTE, { minLength: 1, description: 'What you found and did; one line.' }),
  },
  { title: 'CloseException' },
)
type CloseRequest = Static<typeof CloseRequest>

const ClosedResponse = Type.Object(
  {
    payout: Id('pot', 'Payout id.'),
    exception: Type.Integer(),
    asked: Type.Boolean({ description: 'Whether its rail is asked again.' }),
  },
  { title: 'ClosedException' },
)

export function deskExceptionRoutes(app: FastifyInstance, deps: OfDesk): void {
  app.get<{ Querystring: Query }>(
    '/v3/operator/exception',
    {
      config: { scope: 'installation_read', checkQuery: checkLimit },
      schema: operationDocs({
        operationId: 'listExceptions',
        summary: 'List payouts that stand still until a person has looked, the oldest first.',
        querystring: Closed(optional({ limit: LimitText, starting_after: After })),
        response: Envelope(ListOf(ExceptionResponse)),
        refusals: ['invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const limit = readLimit(request.query)
      const after = cursorOf(request.query)
      const open = await listOpenExceptions(deps.desk.audit, after, limit + 1)
      return sendList(request, reply, success(pageOf(open, limit, presentException)))
    },
  )
  app.post<Named & { Body: CloseRequest }>(
    '/v3/operator/payout/:id/close_exception',
    {
      config: { scope: 'installation_write', asksPassword: true, check: checkWords },
      schema: operationDocs({
        operationId: 'closeException',
        summary: 'Say what you found about a payout that stands still.',
        description:
          'It moves no money. Ask the bank or the provider first what it has done with the ' +
          'attempt.',
        params: pathId('pot'),
        body: CloseRequest,
        response: Envelope(ClosedResponse),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { id } = request.params
      const { number, note } = request.body
      const closing = { number, note, closed_by: operatorOf(request).name }
      const { audit } = deps.desk
      const author = authorOf(request, 'rail close-exception')
      const asked = await deps.desk.change(author, sql =>
        closeOpenException({ audit, sql }, id, closing),
      )
      return send(reply, success({ payout: id, exception: number, asked }))
    },
  )
}
