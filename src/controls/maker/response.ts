// Those who can make things for an account, as `made_by` of its objects names them.

import { personMaker } from '../../accounts/maker.ts'
import type { ApiKey } from '../../accounts/rules.ts'
import type { Person } from '../../accounts/user/user.ts'
import { Literals } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'

/** The most makers of an answer; each has at most 300 bytes. */
export const MOST_MAKERS = 1_000

const MakerResponse = Type.Object(
  {
    object: Type.Literal('maker'),
    id: Type.String({ description: 'As `made_by` names it: `key_…`, or `user:` and a name.' }),
    kind: Literals(['key', 'user'] as const),
    name: Type.String({ description: 'The name of the key or the person; empty for none.' }),
    active: Type.Boolean({ description: 'False: the key is revoked.' }),
  },
  { title: 'Maker' },
)

export const MakersResponse = Type.Object(
  {
    object: Type.Literal('makers'),
    makers: Type.Array(MakerResponse, { description: 'People first, then the newest keys.' }),
    truncated: Type.Boolean({ description: `Whether there are more than ${MOST_MAKERS}.` }),
  },
  {
    title: 'Makers',
    description: 'The people who have a role on the account now, and all of its keys.',
  },
)

type Key = Pick<ApiKey, 'key_id' | 'account_id' | 'name' | 'revoked'>

export function presentMakers(
  account_id: string,
  people: Iterable<Pick<Person, 'user' | 'roles'>>,
  keys: Iterable<Key>,
) {
  const all = [
    ...[...people]
      .filter(({ roles }) => (roles.get(account_id) ?? []).length > 0)
      .map(({ user }) => ({ id: personMaker(user), kind: 'user', name: user, active: true }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    ...[...keys]
      .filter(key => key.account_id === account_id)
      .map(({ key_id: id, name, revoked }) => ({ id, kind: 'key', name, active: !revoked }))
      .toSorted((a, b) => (a.id < b.id ? 1 : -1)),
  ]
  const makers = all.slice(0, MOST_MAKERS).map(maker => ({ object: 'maker', ...maker }))
  return { object: 'makers', makers, truncated: all.length > MOST_MAKERS }
}
