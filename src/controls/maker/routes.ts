// GET /v3/maker: the names of those who make things for the account.
import type { ApiKey } from '../../accounts/rules.ts'
import type { Person } from '../../accounts/user/user.ts'
import type { AccountRoutes } from '../../http/account-routes.ts'
import { MakersResponse, MOST_MAKERS, presentMakers } from './response.ts'

interface Needs {
  readonly reference: {
    current(): {
      readonly people: ReadonlyMap<string, Person>
      readonly keys: ReadonlyMap<string, ApiKey>
    }
  }
}

export function makerRoutes(routes: AccountRoutes, deps: Needs): void {
  routes.read('/v3/maker', {
    operationId: 'listMakers',
    summary: 'List the people and keys of the account that can make payouts and other objects.',
    description:
      'Each object names its maker in `made_by`, and each event of a change in ' +
      '`change.made_by`. This list has the names of keys, also of revoked ones. It has at most ' +
      `${MOST_MAKERS} entries.`,
    response: MakersResponse,
    refusals: [],
    async answer({ account: { account_id } }) {
      const { people, keys } = deps.reference.current()
      return presentMakers(account_id, people.values(), keys.values())
    },
  })
}
