// The pages of an invitation: a new person chooses a name and a password; who is logged in joins.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Account } from '../../accounts/rules.ts'
import { hashToken } from '../../accounts/user/session.ts'
import { findSession } from '../../accounts/user/session-store.ts'
import { checkPrivate, sessionTokenOf } from '../../http/browser.ts'
import { checkLines, MAX_NAME } from '../../operator/request.ts'
import { refusal } from '../../values/errors.ts'
import { type Html, html } from '../../values/text/html.ts'
import {
  type Needs as Accepting,
  acceptAs,
  acceptAsNew,
  openInvitation,
} from './invitation-operations.ts'
import { checkNewPassword, formOf, newPasswordField, type PlainPages, placeOf } from './page.ts'
import { type Needs, ofSession, setCookies } from './routes.ts'

/** The reference data answers more than the routes ask of it. */
type Deps = Omit<Needs, 'reference'> & {
  readonly reference: Accepting['reference'] & {
    current(): ReturnType<Needs['reference']['current']> & {
      readonly accounts: ReadonlyMap<string, Account>
    }
  }
}

const TITLE = 'You are invited'
const ANYONE = { config: { scope: 'anyone' } } as const
const USER_NAME = '[a-z][a-z0-9._\\-]{1,39}'

export function invitationPages(pages: FastifyInstance, deps: Deps, plain: PlainPages): void {
  pages.get('/login/invitation', ANYONE, async (request, reply) => {
    const { token } = request.query as { readonly token?: unknown }
    const text = typeof token === 'string' ? token : ''
    try {
      const body = await invitationPage(deps, request, text)
      return await plain.send(reply, { title: TITLE, body })
    } catch (error) {
      return plain.sendRefused(reply, error, { title: TITLE, body: TO_LOG_IN })
    }
  })
  pages.post('/login/invitation', ANYONE, async (request, reply) => {
    const form = formOf(request)
    const token = form.get('token') ?? ''
    try {
      checkPrivate(request)
      const loggedIn = await acceptAsNew(deps, newPersonOf(form), request.ip)
      setCookies(request, reply, loggedIn)
      const { lacks } = loggedIn.session
      return reply.redirect(lacks === null ? '/console' : placeOf(lacks, ''), 303)
    } catch (error) {
      const body = await invitationPage(deps, request, token).catch(() => TO_LOG_IN)
      return plain.sendRefused(reply, error, { title: TITLE, body })
    }
  })
  const own = { config: { scope: 'person', ofSession: true } } as const
  pages.post('/login/invitation/join', own, async (request, reply) => {
    try {
      const { user } = ofSession(request).open
      const { account_id } = await acceptAs(
        deps,
        user,
        formOf(request).get('token') ?? '',
        request.ip,
      )
      return reply.redirect(`/console/${account_id}`, 303)
    } catch (error) {
      return plain.sendRefused(reply, error, { title: TITLE, body: TO_LOG_IN })
    }
  })
}

const USER_ALREADY = html`<p>Are you a user already? Log in first, then open the link again.</p>`
const TO_LOG_IN = html`<p><a href="/login">To the log-in</a></p>`

/** Refuses (400) what the API's schema refuses. */
function newPersonOf(form: URLSearchParams) {
  const text = (name: string) => form.get(name)?.trim() ?? ''
  const person = {
    ...{ token: text('token'), user: text('user'), full_name: text('full_name') },
    password: form.get('password') ?? '',
  }
  if (!new RegExp(`^${USER_NAME}$`).test(person.user)) {
    const message = 'A name has small letters, digits, “.”, “_” and “-”, and begins with a letter.'
    throw refusal('invalid_field', message, 'user')
  }
  if (person.full_name === '' || person.full_name.length > MAX_NAME) {
    throw refusal('invalid_field', 'Give your full name.', 'full_name')
  }
  checkLines(person)
  checkNewPassword(person.password, 'password')
  return person
}

async function invitationPage(deps: Deps, request: FastifyRequest, token: string): Promise<Html> {
  const { account_id, roles, invited_by } = await openInvitation(deps, token, request.ip)
  const name = deps.reference.current().accounts.get(account_id)?.name ?? account_id
  const form = formOf(request)
  const said = (field: string) => form.get(field) ?? ''
  const token_hash = hashToken(sessionTokenOf(request) ?? '')
  const session = token_hash && (await findSession(deps.reads, token_hash))
  const user = session?.user_name
  return html`<p><strong>${invited_by}</strong> invites you to <strong>${name}</strong> as
${roles.join(', ')}.</p>
${
  user !== undefined &&
  html`<form method="post" action="/login/invitation/join">
<input type="hidden" name="token" value="${token}">
<button>Join as ${user}</button></form>
<p>Or become another user:</p>`
}
<form method="post" action="/login/invitation">
<input type="hidden" name="token" value="${token}">
<label>Name to log in with <input name="user" autocomplete="username" autocapitalize="none"
  pattern="${USER_NAME}" minlength="2" maxlength="40" required value="${said('user')}"></label>
<label>Your full name <input name="full_name" autocomplete="name" maxlength="${MAX_NAME}" required
  value="${said('full_name')}"></label>
${newPasswordField('Password', 'password')}
<button>Accept the invitation</button>
</form>
${user === undefined && USER_ALREADY}`
}
