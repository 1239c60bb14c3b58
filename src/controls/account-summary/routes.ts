// GET /v3/account: the calling account, its state, and the rest of its limits.
import type { Reads } from '../../engine/reads.ts'
import type { AccountRoutes } from '../../http/account-routes.ts'
import { type Limits, limitsOf } from '../limit/limit.ts'
import { AccountResponse, presentAccount } from './response.ts'
import { readSummary } from './store.ts'

interface Needs extends Pick<Reads, 'read'> {
  readonly reference: { current(): { readonly limits: Limits } }
}

export function accountRoutes(routes: AccountRoutes, deps: Needs): void {
  routes.read('/v3/account', {
    operationId: 'getAccount',
    summary: 'The account of the caller.',
    description:
      'The currencies of the account and its deposit address, whether it is a sandbox, its ' +
      'state, and each limit of its payouts with what is used and what is left. A new limit ' +
      'is shown within a second. GET /v3/balance has the balances.',
    response: AccountResponse,
    refusals: [],
    async answer({ account, key_id }) {
      const { account_id } = account
      const limits = limitsOf(deps.reference.current().limits, account_id)
      const summary = await deps.read(account_id, tx =>
        readSummary(tx, { account_id, key_id }, limits),
      )
      return presentAccount(account, summary.standing, summary.limits)
    },
  })
}
