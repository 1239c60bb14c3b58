// GET /v3/payout_group: the batches and imports that wait for people. GET
// /v3/payout_import/{id}/payout: the payouts that one import has made, for the people who decide
// about the import as one.
import type { FastifyInstance } from 'fastify'
import type { Reads } from '../engine/reads.ts'
import { found } from '../errors.ts'
import type { AccountRoutes } from '../http/account-routes.ts'
import { send, success } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import {
  checkList,
  ListOf,
  type ListQuery,
  ListQueryOf,
  presentList,
  readList,
} from '../http/list.ts'
import { Envelope } from '../http/schema.ts'
import { PayoutResponse, presentPayout } from '../payout/response.ts'
import { MAX_TOGETHER } from './group.ts'
import { listPayouts, listWaitingGroups } from './operations.ts'
import { GroupsResponse, presentGroups } from './response.ts'

const ImportedQuery = ListQueryOf('pot', {})

export function payoutImportRoutes(app: FastifyInstance, deps: Pick<Reads, 'read'>): void {
  app.get<{ Params: { id: string }; Querystring: ListQuery }>(
    '/v3/payout_import/:id/payout',
    {
      config: { scope: 'read', checkQuery: checkList },
      schema: operationDocs({
        operationId: 'listImportedPayouts',
        summary: 'List the payouts that an import has made, newest first.',
        description:
          'An import is a file of payouts that `corridor payout import` has made, in however ' +
          'many runs. Its payouts wait for people as others do.',
        params: pathId('pim'),
        querystring: ImportedQuery,
        response: Envelope(ListOf(PayoutResponse)),
        refusals: ['not_found', 'invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const key = { account_id: request.account.account_id, id: request.params.id }
      const wanted = readList(request.query)
      const { page } = found(await deps.read(key.account_id, tx => listPayouts(tx, key, wanted)))
      return send(reply, success(presentList(page, wanted, presentPayout)))
    },
  )
}

export function payoutGroupRoutes(routes: AccountRoutes, deps: Pick<Reads, 'read'>): void {
  routes.read('/v3/payout_group', {
    operationId: 'getPayoutGroups',
    summary: 'Show the batches and imports of which payouts wait for people.',
    description:
      `Of the ${MAX_TOGETHER} payouts that wait longest. Each batch and import can be ` +
      'approved as one; `since` is when the first of its payouts that wait was made.',
    response: GroupsResponse,
    refusals: [],
    async answer({ account: { account_id } }) {
      return presentGroups(await deps.read(account_id, tx => listWaitingGroups(tx, account_id)))
    },
  })
}
