// GET /v3/statement: the statement of a period as a file for accounting and banking programs.
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Account } from '../../../accounts/rules.ts'
import { addRoute } from '../../../http/route.ts'
import { Type } from '../../../http/type.ts'
import { type Needs, statementsOf } from './http.ts'
import { readStatementQuery, StatementQuery } from './request.ts'

export function statementRoutes(app: FastifyInstance, deps: Needs): void {
  addRoute<{ Querystring: Record<string, string> }>(app, '/v3/statement', 'read', {
    bare: true,
    operationId: 'getStatement',
    summary: 'The statement of a period, as camt.053, MT940, CSV or PDF.',
    description:
      'The statement opens with the balance of the ledger at the beginning of the ' +
      'period and closes with that at its end, by currency. The lines lead from one to ' +
      'the other, and amounts have the decimals of their currency. A period without an ' +
      'end ends now. A statement is interim while its last day is not over: its closing balance ' +
      'then is `ITBD` in camt.053, `:62M:` in MT940 and the row `interim` in CSV. ' +
      'The file is streamed; a file that is cut off lacks its end. USDC ' +
      'and USDT need CSV or PDF.',
    querystring: StatementQuery,
    response: Type.String(),
    files: [
      { media: 'application/xml', description: 'camt.053.001.08.' },
      { media: 'text/plain', description: 'MT940.' },
      { media: 'text/csv', description: 'CSV, with a header row.' },
      { media: 'application/pdf', description: 'PDF, A4.' },
    ],
    refusals: ['invalid_query_parameter'],
    send: (request, reply) => sendStatement(deps, reply, request.query, request.account),
  })
}

/** Answers with the file that the query asks for. */
export async function sendStatement(
  deps: Needs,
  reply: FastifyReply,
  query: Readonly<Record<string, unknown>>,
  account: Account,
): Promise<FastifyReply> {
  return statementsOf(deps).send(reply, readStatementQuery(query, account))
}
