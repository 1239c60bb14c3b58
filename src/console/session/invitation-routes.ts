// The routes of /v3/session by which people accept invitations.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { send, success } from '../../http/answer.ts'
import { checkPrivate } from '../../http/browser.ts'
import { addRoute } from '../../http/route.ts'
import { Closed, Text } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { checkLines, MAX_NAME } from '../../operator/request.ts'
import { AccountRole, UserName } from '../../operator/user-response.ts'
import { type Needs as Accepting, acceptAs, acceptAsNew } from './invitation-operations.ts'
import { answerLoggedIn, type Needs, NewPassword, ofSession, SessionResponse } from './routes.ts'

const Token = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The token of the link that an owner of the account has made.',
})

export const AcceptRequest = Closed(
  {
    token: Token,
    user: UserName,
    full_name: Text(MAX_NAME, { minLength: 1, description: 'The full name of the person.' }),
    password: NewPassword,
  },
  { title: 'AcceptRequest' },
)
export type AcceptRequest = Static<typeof AcceptRequest>

const JoinRequest = Closed({ token: Token }, { title: 'JoinRequest' })
type JoinRequest = Static<typeof JoinRequest>

export function invitationRoutes(app: FastifyInstance, deps: Needs & Accepting): void {
  addRoute<{ Body: AcceptRequest }>(app, '/v3/session/invitation/accept', 'anyone', {
    method: 'POST',
    operationId: 'acceptInvitation',
    summary: 'Accept an invitation as a new user, and log in.',
    description: 'An invitation works once. The answer sets the cookie of the session.',
    body: AcceptRequest,
    response: SessionResponse,
    refusals: ['invalid_login', 'insecure_connection', 'cross_site_request'],
    async send(request, reply) {
      checkPrivate(request)
      checkLines(request.body)
      const loggedIn = await acceptAsNew(deps, request.body, request.ip)
      return answerLoggedIn(deps, request, reply, loggedIn)
    },
  })
  addRoute<{ Body: JoinRequest }>(app, '/v3/session/invitation/join', 'person', {
    method: 'POST',
    operationId: 'joinByInvitation',
    summary: 'Accept an invitation as the user who is logged in.',
    config: { ofSession: true },
    body: JoinRequest,
    response: Closed(
      { account_id: Type.String(), roles: Type.Array(AccountRole) },
      { title: 'Joined' },
    ),
    refusals: ['invalid_login', 'invalid_transition'],
    async send(request, reply) {
      const { open } = ofSession(request)
      const { account_id, roles } = await acceptAs(deps, open.user, request.body.token, request.ip)
      return send(reply, success({ account_id, roles }))
    },
  })
}
