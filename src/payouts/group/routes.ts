// GET /v3/payout_group: the batches and imports with payouts that wait for people. GET
// /v3/payout_import/{id}/payout: the payouts of one import, for the people who decide about it.
import type { Reads } from '../../engine/reads.ts'
import type { AccountRoutes } from '../../http/account-routes.ts'
import { pathId } from '../../http/docs.ts'
import {
  checkList,
  ListOf,
  type ListQuery,
  ListQueryOf,
  presentList,
  readList,
} from '../../http/list.ts'
import { found } from '../../values/errors.ts'
import { PayoutResponse, presentPayout } from '../response.ts'
import { MAX_TOGETHER } from './group.ts'
import { listPayouts, listWaitingGroups } from './operations.ts'
import { GroupsResponse, presentGroups } from './response.ts'

export function payoutImportRoutes(routes: AccountRoutes, deps: Pick<Reads, 'read'>): void {
  routes.read('/v3/payout_import/:id/payout', {
    config: { checkQuery: checkList },
    operationId: 'listImportedPayouts',
    summary: 'List the payouts that an import has made, newest first.',
    description:
      'An import is a file of payouts that `corridor payout import` has made, in one run or ' +
      'several. Its payouts wait for approval as others do.',
    params: pathId('pim'),
    querystring: ListQueryOf('pot', {}),
    response: ListOf(PayoutResponse),
    refusals: ['not_found', 'invalid_query_parameter'],
    async answer({ account: { account_id }, params: { id }, query }) {
      const wanted = readList(query as ListQuery)
      const { page } = found(
        await deps.read(account_id, tx => listPayouts(tx, { account_id, id }, wanted)),
      )
      return presentList(page, wanted, presentPayout)
    },
  })
}

export function payoutGroupRoutes(routes: AccountRoutes, deps: Pick<Reads, 'read'>): void {
  routes.read('/v3/payout_group', {
    operationId: 'getPayoutGroups',
    summary: 'Show the batches and imports with payouts that wait for approval.',
    description:
      `The list covers the ${MAX_TOGETHER} payouts that have waited longest. Each batch and ` +
      'import can be approved as one; `since` is when the first of its waiting payouts was made.',
    response: GroupsResponse,
    refusals: [],
    async answer({ account: { account_id } }) {
      return presentGroups(await deps.read(account_id, tx => listWaitingGroups(tx, account_id)))
    },
  })
}
