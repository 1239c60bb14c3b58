// GET /v3/account: who asks, in which state the account is, and what its limits leave.
import type { FastifyInstance } from 'fastify'
import type { Reads } from '../engine/reads.ts'
import { send, success } from '../http/answer.ts'
import { operationDocs } from '../http/docs.ts'
import { Envelope } from '../http/schema.ts'
import { type Limits, limitsOf } from '../limit/limit.ts'
import { AccountResponse, presentAccount } from './response.ts'
import { readSummary } from './store.ts'

interface Needs extends Pick<Reads, 'read'> {
  readonly reference: { current(): { readonly limits: Limits } }
}

export function accountRoutes(app: FastifyInstance, deps: Needs): void {
  app.get(
    '/v3/account',
    {
      config: { scope: 'read' },
      schema: operationDocs({
        operationId: 'getAccount',
        summary: 'The account that asks.',
        description:
          'Its currencies and deposit address, whether it is a sandbox, its state, and each ' +
          'limit of its payouts with what is used and what is left. A limit that has just been ' +
          'set is seen within a second. GET /v3/balance has the balances.',
        response: Envelope(AccountResponse),
        refusals: [],
      }),
    },
    async (request, reply) => {
      const { account, key_id } = request
      const { account_id } = account
      const limits = limitsOf(deps.reference.current().limits, account_id)
      const summary = await deps.read(account_id, tx =>
        readSummary(tx, { account_id, key_id }, limits),
      )
      return send(reply, success(presentAccount(account, summary.standing, summary.limits)))
    },
  )
}
