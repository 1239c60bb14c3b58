// GET /v3/operator/user.
import type { FastifyInstance } from 'fastify'
import { send, success } from '../http/answer.ts'
import { operationDocs } from '../http/docs.ts'
import { Closed, Envelope, Literals } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { listLastSeen } from '../user/session-store.ts'
import { listAccountRoles, listUsers } from '../user/store.ts'
import { ACCOUNT_ROLES, USER_ROLES } from '../user/user.ts'
import type { Desk } from './desk.ts'
import { AccountId } from './request.ts'

const at = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description })

const DeskUser = Closed(
  {
    name: Type.String(),
    full_name: Type.String(),
    role: Literals(USER_ROLES, { description: 'What the user may do with the installation.' }),
    accounts: Type.Array(Closed({ account_id: AccountId, role: Literals(ACCOUNT_ROLES) }), {
      description: 'What the user may do for accounts.',
    }),
    created_at: Type.String({ format: 'date-time' }),
    last_seen_at: at('When a session of theirs was last used, to the minute; null if none was.'),
    disabled_at: at('Null while the user may work.'),
    disabled_reason: Type.String(),
  },
  { title: 'DeskUser' },
)

const DeskUserList = Type.Object(
  { object: Type.Literal('list'), has_more: Type.Literal(false), results: Type.Array(DeskUser) },
  { title: 'DeskUserList', description: 'All users by name, disabled ones too.' },
)

export function deskUserRoutes(app: FastifyInstance, deps: { readonly desk: Desk }): void {
  app.get(
    '/v3/operator/user',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'listUsers',
        summary: 'List the users, what each may do, and when each was seen last.',
        response: Envelope(DeskUserList),
        refusals: [],
      }),
    },
    async (_request, reply) => {
      const { audit } = deps.desk
      const [users, roles, seen] = await Promise.all([
        listUsers(audit),
        listAccountRoles(audit),
        listLastSeen(audit),
      ])
      const given = Map.groupBy(roles, ({ user_name }) => user_name)
      const results = users.map(user => ({
        ...user,
        accounts: (given.get(user.name) ?? []).map(({ account_id, role }) => ({
          account_id,
          role,
        })),
        last_seen_at: seen.get(user.name) ?? null,
      }))
      return send(reply, success({ object: 'list', has_more: false, results }))
    },
  )
}
