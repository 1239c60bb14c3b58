// The log-in pages: a person logs in, by a password or a link, and out.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LACKS } from '../../accounts/user/second-factor.ts'
import { hashToken } from '../../accounts/user/session.ts'
import { findSession } from '../../accounts/user/session-store.ts'
import type { Config } from '../../config/config.ts'
import { checkPrivate, ownOrigin, sessionCookie, sessionTokenOf } from '../../http/browser.ts'
import { sendError, toRefusal } from '../../http/errors.ts'
import { type Html, html } from '../../values/text/html.ts'
import { invitationPages } from './invitation-pages.ts'
import { enterByLink, type LoggedIn, logIn, logOut } from './operations.ts'
import { ownPages } from './own-pages.ts'
import {
  checkNewPassword,
  formOf,
  newPasswordField,
  PlainPages,
  passwordField,
  placeAfter,
  placeFor,
  placeOf,
} from './page.ts'
import { providerPages } from './provider-pages.ts'
import { fromOf, type Needs, setCookies } from './routes.ts'

/** Of a form with a name, a token and passwords. */
const MAX_FORM_BYTES = 4096

export function sessionPages(
  pages: FastifyInstance,
  deps: Needs &
    Parameters<typeof invitationPages>[1] &
    Parameters<typeof providerPages>[1] & { readonly config: Pick<Config, 'provider'> },
): void {
  pages.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  )
  const plain = new PlainPages(pages)
  pages.setErrorHandler(async (error, request, reply) => {
    const refused = toRefusal(error)
    if (refused.status === 401) return reply.redirect('/login', 303)
    const place = placeFor(refused, '')
    if (place !== undefined) return reply.redirect(place, 303)
    if (refused.status >= 500) return sendError(error, request, reply)
    const body = html`<p><a href="/login">To the log-in</a></p>`
    return plain.sendRefused(reply, refused, { title: 'This page cannot be shown', body })
  })
  const { provider: settings } = deps.config
  const provider = settings && providerPages(pages, deps, plain, settings)
  logInPages(pages, deps, plain, provider !== undefined)
  ownPages(pages, deps, plain)
  invitationPages(pages, deps, plain)
  const anyone = { config: { scope: 'person', without: LACKS } } as const
  pages.post('/logout', anyone, async (request, reply) => {
    const { person, session } = request
    if (person !== null && session !== null) {
      await logOut(deps, { user: person.user, token_hash: session.token_hash }, request.ip)
    }
    void reply.header('set-cookie', sessionCookie(request, ''))
    if (session?.by_provider !== true) return reply.redirect('/login', 303)
    const there = await provider?.logOutUrl(`${ownOrigin(request)}/login`).catch(() => undefined)
    return plain.send(reply, { title: 'You are logged out', body: loggedOut(there) })
  })
}

/** A form may lead to no other site, so a link does. */
function loggedOut(there: string | undefined): Html {
  return html`${
    there !== undefined &&
    html`<p>Your organisation still knows you in this browser:
<a href="${there}">log out there, too</a>.</p>`
  }
<p><a href="/login">To the log-in</a></p>`
}

function logInPages(
  pages: FastifyInstance,
  deps: Needs,
  plain: PlainPages,
  hasProvider: boolean,
): void {
  const page = { config: { scope: 'anyone' as const } }
  const logInForm = (next: string) => html`${hasProvider && byProvider(next)}${passwordForm(next)}`
  pages.get('/login', page, async (request, reply) =>
    showLogIn(deps, { plain, logInForm }, request, reply),
  )
  pages.post('/login', page, (request, reply) =>
    enter({ plain, logInForm }, request, reply, form => {
      const user = form.get('user') ?? ''
      return logIn(deps, { user, password: form.get('password') ?? '' }, fromOf(request))
    }),
  )
  pages.get<{ Querystring: { token?: string } }>('/login/link', page, async (request, reply) => {
    const { token } = request.query
    const body = linkForm(typeof token === 'string' ? token : '')
    return plain.send(reply, { title: 'Set your password', body })
  })
  pages.post('/login/link', page, (request, reply) =>
    enter({ plain, logInForm }, request, reply, form => {
      const password = form.get('password') ?? ''
      checkNewPassword(password, 'password')
      return enterByLink(deps, { token: form.get('token') ?? '', password }, request.ip)
    }),
  )
}

interface Forms {
  readonly plain: PlainPages
  readonly logInForm: (next: string) => Html
}

/** Shows who is logged in; else the log-in form. */
async function showLogIn(
  deps: Needs,
  { plain, logInForm }: Forms,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const token_hash = hashToken(sessionTokenOf(request) ?? '')
  const session = token_hash && (await findSession(deps.reads, token_hash))
  if (session === undefined) {
    const { next } = request.query as { readonly next?: unknown }
    const body = logInForm(typeof next === 'string' ? next : '')
    return plain.send(reply, { title: 'Log in', body })
  }
  const body = html`<p>You are logged in as <strong>${session.user_name}</strong>.</p>
${
  session.lacks === null
    ? ownLinks(session.by_provider)
    : html`<p><a href="${placeOf(session.lacks, '')}">Go on with the log-in</a></p>`
}
<form method="post" action="/logout"><button>Log out</button></form>`
  return plain.send(reply, { title: 'Your log-in', body })
}

function ownLinks(byProvider: boolean): Html {
  return html`<p><a href="/console">To the console</a></p>
${!byProvider && html`<p><a href="/login/password">Change your password</a></p>`}
<p><a href="/login/second-factor">Second factor</a></p>`
}

/** After a refusal shows the form again. */
async function enter(
  { plain, logInForm }: Forms,
  request: FastifyRequest,
  reply: FastifyReply,
  by: (form: URLSearchParams) => Promise<LoggedIn>,
) {
  const form = formOf(request)
  try {
    checkPrivate(request)
    const next = form.get('next') ?? ''
    const loggedIn = await by(form)
    setCookies(request, reply, loggedIn)
    const { lacks } = loggedIn.session
    return reply.redirect(lacks === null ? placeAfter(next) : placeOf(lacks, next), 303)
  } catch (error) {
    const linkToken = form.get('token')
    return plain.sendRefused(
      reply,
      error,
      linkToken === null
        ? { title: 'Log in', body: logInForm(form.get('next') ?? '') }
        : { title: 'Set your password', body: linkForm(linkToken) },
    )
  }
}

function byProvider(next: string): Html {
  const query = new URLSearchParams({ next: placeAfter(next) })
  return html`<p><a class="button" href="/login/provider?${query.toString()}">Log in by your
organisation</a></p>`
}

function passwordForm(next: string): Html {
  return html`<form method="post" action="/login">
<input type="hidden" name="next" value="${placeAfter(next)}">
<label>User
  <input name="user" autocomplete="username" autocapitalize="none" required autofocus></label>
${passwordField('Password', 'password')}
<button>Log in</button>
</form>
<p>No password yet, or lost it? Ask an operator of this installation for a link.</p>`
}

function linkForm(token: string): Html {
  return html`<form method="post" action="/login/link">
<input type="hidden" name="token" value="${token}">
${newPasswordField('New password', 'password', html` autofocus`)}
<button>Set password and log in</button>
</form>`
}
