// The bodies of requests to log in and to confirm a session.

import type { Static } from 'typebox'
import { MAX_PASSWORD, MIN_PASSWORD } from '../../accounts/user/password.ts'
import { Closed } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'

const UserName = Type.String({ minLength: 2, maxLength: 40, description: 'The name of the user.' })
const Password = Type.String({ minLength: 1, maxLength: MAX_PASSWORD })
const NewPassword = Type.String({
  minLength: MIN_PASSWORD,
  maxLength: MAX_PASSWORD,
  description: 'Any characters; a few words are good.',
})

export const LogInRequest = Closed(
  { user: UserName, password: Password },
  { title: 'LogInRequest' },
)
export type LogInRequest = Static<typeof LogInRequest>

export const LinkRequest = Closed(
  {
    token: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The token of the link that `corridor user login-link` prints.',
    }),
    password: NewPassword,
  },
  { title: 'LinkRequest' },
)
export type LinkRequest = Static<typeof LinkRequest>

export const ConfirmRequest = Closed({ password: Password }, { title: 'ConfirmRequest' })
export type ConfirmRequest = Static<typeof ConfirmRequest>
