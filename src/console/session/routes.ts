// The routes of /v3/session: people log in and out, confirm their password, and see who they are.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { MAX_PASSWORD, MIN_PASSWORD } from '../../accounts/user/password.ts'
import { LACKS } from '../../accounts/user/second-factor.ts'
import { DEVICE_DAYS, type Session } from '../../accounts/user/session.ts'
import { ACCOUNT_ROLES, type Person, USER_ROLES } from '../../accounts/user/user.ts'
import { send, success } from '../../http/answer.ts'
import { checkPrivate, deviceCookie, deviceTokenOf, sessionCookie } from '../../http/browser.ts'
import { addRoute } from '../../http/route.ts'
import { Closed, Literals } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { refusal } from '../../values/errors.ts'
import {
  changePassword,
  confirm,
  enterByLink,
  type From,
  type LoggedIn,
  type Needs as LogInNeeds,
  logIn,
  logOut,
} from './operations.ts'

export interface Needs extends LogInNeeds {
  readonly reference: { current(): { readonly people: ReadonlyMap<string, Person> } }
}

export function sessionRoutes(app: FastifyInstance, deps: Needs): void {
  logInRoute(app, deps)
  linkRoute(app, deps)
  whoRoute(app)
  confirmRoute(app, deps)
  passwordRoute(app, deps)
  logOutRoute(app, deps)
}

function logInRoute(app: FastifyInstance, deps: Needs): void {
  addRoute<{ Body: LogInRequest }>(app, '/v3/session', 'anyone', {
    method: 'POST',
    operationId: 'logIn',
    summary: 'Log in as a user.',
    description:
      'The answer sets the cookie of the session. The session ends after 30 minutes ' +
      'without a request, and after 12 hours at the latest. Another cookie makes the device ' +
      'known for 90 days: others who guess at the name do not keep the user out on it. ' +
      'While `lacks` is not null, the session may only give or enrol the second factor. ' +
      'Programs use the key of a user instead.',
    body: LogInRequest,
    response: SessionResponse,
    refusals: ['invalid_login', 'insecure_connection', 'cross_site_request'],
    async send(request, reply) {
      checkPrivate(request)
      const loggedIn = await logIn(deps, request.body, fromOf(request))
      return answerLoggedIn(deps, request, reply, loggedIn)
    },
  })
}

function linkRoute(app: FastifyInstance, deps: Needs): void {
  addRoute<{ Body: LinkRequest }>(app, '/v3/session/link', 'anyone', {
    method: 'POST',
    operationId: 'enterByLink',
    summary: 'Set a password with a login link, and log in.',
    description: 'A link works once, within 15 minutes. Other sessions of the user end.',
    body: LinkRequest,
    response: SessionResponse,
    refusals: ['invalid_login', 'insecure_connection', 'cross_site_request'],
    async send(request, reply) {
      checkPrivate(request)
      const loggedIn = await enterByLink(deps, request.body, request.ip)
      return answerLoggedIn(deps, request, reply, loggedIn)
    },
  })
}

export function fromOf(request: FastifyRequest): From {
  return { ip: request.ip, device: deviceTokenOf(request) }
}

export function setCookies(
  request: FastifyRequest,
  reply: FastifyReply,
  { token, device }: LoggedIn,
): void {
  const known = device === undefined ? [] : [deviceCookie(request, device, DEVICE_DAYS)]
  void reply.header('set-cookie', [sessionCookie(request, token), ...known])
}

/** Sets the cookies, and answers with the person. */
export function answerLoggedIn(
  deps: Needs,
  request: FastifyRequest,
  reply: FastifyReply,
  loggedIn: LoggedIn,
  more: object = {},
) {
  const { session } = loggedIn
  const person = deps.reference.current().people.get(session.user_name)
  // This process has not read a user who was made a moment ago.
  if (person === undefined) throw refusal('service_unavailable', 'Log in again in a second.')
  setCookies(request, reply, loggedIn)
  return send(reply, success({ ...presentSession(person, session), ...more }))
}

function whoRoute(app: FastifyInstance): void {
  addRoute(app, '/v3/session', 'person', {
    operationId: 'getSession',
    summary: 'Show the person who calls, with a session or the key of a user.',
    config: { without: LACKS },
    response: SessionResponse,
    refusals: [],
    async send(request, reply) {
      const { person, session } = request
      if (person === null) throw refusal('insufficient_scope', 'Only people may do this.')
      return send(reply, success(presentSession(person, session)))
    },
  })
}

function confirmRoute(app: FastifyInstance, deps: Needs): void {
  addRoute<{ Body: ConfirmRequest }>(app, '/v3/session/confirm', 'person', {
    method: 'POST',
    operationId: 'confirmSession',
    summary: 'Confirm the password, for requests that need it.',
    description:
      'For five minutes the session may make the requests that otherwise answer 403 ' +
      '`password_needed`.',
    config: { without: ['enrolment'] },
    body: ConfirmRequest,
    response: SessionResponse,
    refusals: ['invalid_login', 'session_over'],
    async send(request, reply) {
      const { person, session, open } = ofSession(request)
      await confirm(deps, open, request.body.password, request.ip)
      return send(reply, success(presentSession(person, session)))
    },
  })
}

function passwordRoute(app: FastifyInstance, deps: Needs): void {
  addRoute<{ Body: PasswordRequest }>(app, '/v3/session/password', 'person', {
    method: 'POST',
    operationId: 'changePassword',
    summary: 'Change the password of the person who calls.',
    description: 'All sessions of the user end. The answer sets the cookie of a new one.',
    body: PasswordRequest,
    response: SessionResponse,
    refusals: ['invalid_login', 'session_over'],
    async send(request, reply) {
      const changed = await changePassword(deps, ofSession(request).open, request.body, request.ip)
      return answerLoggedIn(deps, request, reply, changed)
    },
  })
}

function logOutRoute(app: FastifyInstance, deps: Needs): void {
  addRoute(app, '/v3/session', 'person', {
    method: 'DELETE',
    operationId: 'logOut',
    summary: 'Log out.',
    config: { without: LACKS },
    response: Closed({ object: Type.Literal('session'), over: Type.Literal(true) }),
    refusals: [],
    async send(request, reply) {
      await logOut(deps, ofSession(request).open, request.ip)
      void reply.header('set-cookie', sessionCookie(request, ''))
      return send(reply, success({ object: 'session', over: true }))
    },
  })
}

/** Refuses (403) a key. */
export function ofSession({ person, session }: FastifyRequest) {
  if (person !== null && session !== null) {
    return { person, session, open: { user: person.user, token_hash: session.token_hash } }
  }
  throw refusal('insufficient_scope', 'This is for the session of a person, and not for keys.')
}

const UserName = Type.String({ minLength: 2, maxLength: 40, description: 'The name of the user.' })
const Password = Type.String({ minLength: 1, maxLength: MAX_PASSWORD })
export const NewPassword = Type.String({
  minLength: MIN_PASSWORD,
  maxLength: MAX_PASSWORD,
  description: 'Any characters; a few words are good.',
})

const LogInRequest = Closed({ user: UserName, password: Password }, { title: 'LogInRequest' })
type LogInRequest = Static<typeof LogInRequest>

const LinkRequest = Closed(
  {
    token: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The token of the link that an operator has made for the person.',
    }),
    password: NewPassword,
  },
  { title: 'LinkRequest' },
)
type LinkRequest = Static<typeof LinkRequest>

const ConfirmRequest = Closed({ password: Password }, { title: 'ConfirmRequest' })
type ConfirmRequest = Static<typeof ConfirmRequest>

const PasswordRequest = Closed(
  { password: Password, new_password: NewPassword },
  { title: 'PasswordRequest' },
)
type PasswordRequest = Static<typeof PasswordRequest>

export const SESSION = {
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
  lacks: Type.Union([Literals(LACKS), Type.Null()], {
    description:
      'What the session needs before it may do anything else: the `code` of the second factor ' +
      '(`POST /v3/session/code`), or its `enrolment` (`POST /v3/session/second_factor`).',
  }),
}
export const SessionResponse = Closed(SESSION, { title: 'Session' })

function presentSession(person: Person, session: Session | null) {
  return {
    object: 'session',
    user: person.user,
    role: person.role,
    accounts: Array.from(person.roles, ([account, roles]) => ({ account, roles })),
    expires_at: session?.expires_at ?? null,
    lacks: session?.lacks ?? null,
  }
}
