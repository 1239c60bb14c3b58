// The routes of /v3/session by which people prove, enrol and remove their second factor.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { MAX_CODE, otpauthLink } from '../../accounts/user/second-factor.ts'
import { send, success } from '../../http/answer.ts'
import { addRoute } from '../../http/route.ts'
import { Closed, emptyBody } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { beginFactor, enrol, giveCode, removeFactor } from './factor-operations.ts'
import {
  answerLoggedIn,
  fromOf,
  type Needs,
  ofSession,
  SESSION,
  SessionResponse,
} from './routes.ts'

const CodeRequest = Closed(
  {
    code: Type.String({
      minLength: 6,
      maxLength: MAX_CODE,
      description: 'Six digits of the person’s device, or a recovery code.',
    }),
  },
  { title: 'CodeRequest' },
)
type CodeRequest = Static<typeof CodeRequest>

const PATH = '/v3/session/second_factor'
const NEW_COOKIE = 'The answer sets the cookie of a new session.'

export function factorRoutes(app: FastifyInstance, deps: Needs): void {
  addRoute<{ Body: CodeRequest }>(app, '/v3/session/code', 'person', {
    method: 'POST',
    operationId: 'giveSessionCode',
    summary: 'Give the code of the second factor, which completes the log-in.',
    description: `A code is taken once. ${NEW_COOKIE}`,
    config: { ofSession: true, without: ['code'] },
    body: CodeRequest,
    response: SessionResponse,
    refusals: ['invalid_login', 'session_over'],
    async send(request, reply) {
      const { open } = ofSession(request)
      const loggedIn = await giveCode(deps, open, request.body.code, fromOf(request))
      return answerLoggedIn(deps, request, reply, loggedIn)
    },
  })
  enrolmentRoutes(app, deps)
  addRoute<{ Body: CodeRequest }>(app, `${PATH}/remove`, 'person', {
    method: 'POST',
    operationId: 'removeSecondFactor',
    summary: 'Remove the second factor of the person who calls.',
    description: `The recovery codes and the user's other sessions end. ${NEW_COOKIE}`,
    config: { ofSession: true },
    body: CodeRequest,
    response: SessionResponse,
    refusals: ['invalid_login', 'session_over'],
    async send(request, reply) {
      const { open } = ofSession(request)
      const loggedIn = await removeFactor(deps, open, request.body.code, fromOf(request))
      return answerLoggedIn(deps, request, reply, loggedIn)
    },
  })
}

function enrolmentRoutes(app: FastifyInstance, deps: Needs): void {
  const config = { ofSession: true, without: ['enrolment'] } as const
  addRoute(app, PATH, 'person', {
    method: 'POST',
    operationId: 'beginSecondFactor',
    summary: 'Make the secret of a second factor (TOTP), which counts from its first code on.',
    description: 'The secret is shown in this answer. Another call makes another secret.',
    config: { ...config, asksPassword: true, optionalBody: true },
    body: emptyBody('NothingMore'),
    response: Closed(
      {
        secret: Type.String({ description: 'In base 32, for the person’s device.' }),
        link: Type.String({
          description: '`otpauth://…`, the same for a device that reads links.',
        }),
      },
      { title: 'NewSecondFactor' },
    ),
    refusals: ['invalid_transition'],
    async send(request, reply) {
      const { open } = ofSession(request)
      const secret = await beginFactor(deps, open, request.ip)
      const link = otpauthLink(open.user, request.hostname, secret)
      return send(reply, success({ secret, link }))
    },
  })
  addRoute<{ Body: CodeRequest }>(app, `${PATH}/enrol`, 'person', {
    method: 'POST',
    operationId: 'enrolSecondFactor',
    summary: 'Enrol the second factor by its first code.',
    description: `From then on each log-in needs a code. Other sessions end. ${NEW_COOKIE}`,
    config,
    body: CodeRequest,
    response: Closed(
      {
        ...SESSION,
        recovery_codes: Type.Array(Type.String(), {
          description: 'For a lost device. Each works once; they are shown in this answer alone.',
        }),
      },
      { title: 'EnrolledSession' },
    ),
    refusals: ['invalid_login', 'session_over'],
    async send(request, reply) {
      const { open } = ofSession(request)
      const enrolled = await enrol(deps, open, request.body.code, fromOf(request))
      const { recovery_codes } = enrolled
      return answerLoggedIn(deps, request, reply, enrolled, { recovery_codes })
    },
  })
}
