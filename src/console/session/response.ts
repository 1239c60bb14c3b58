// The answer about the caller: a person in a session, or with a key of theirs.

import { ACCOUNT_ROLES, type Person, USER_ROLES } from '../../accounts/user/user.ts'
import { Closed, Literals } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import type { Instant } from '../../values/instant.ts'

export const SessionResponse = Closed(
  {
    object: Type.Literal('session'),
    user: Type.String(),
    role: Literals(USER_ROLES, { description: 'What the user may do with the installation.' }),
    accounts: Type.Array(
      Closed({
        account: Type.String(),
        roles: Type.Array(Literals(ACCOUNT_ROLES)),
      }),
      { description: 'What the user may do for accounts.' },
    ),
    expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When the session ends at the latest; null for a key.',
    }),
  },
  { title: 'Session' },
)

export function presentSession(person: Person, expires_at: Instant | null) {
  return {
    object: 'session',
    user: person.user,
    role: person.role,
    accounts: Array.from(person.roles, ([account, roles]) => ({ account, roles })),
    expires_at,
  }
}
