// The log-in pages. They work without scripts.
import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MAX_PASSWORD, MIN_PASSWORD } from '../../accounts/user/password.ts'
import { hashToken } from '../../accounts/user/session.ts'
import { findSession } from '../../accounts/user/session-store.ts'
import { checkPrivate, sessionCookie, sessionTokenOf } from '../../http/browser.ts'
import { Refusal, refusal } from '../../values/errors.ts'
import { type Html, html } from '../../values/text/html.ts'
import { enterByLink, type LoggedIn, logIn, logOut } from './operations.ts'
import { fromOf, type Needs, setCookies } from './routes.ts'

const STYLE = new URL('pages.css', import.meta.url)

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** Of a form with a name, a token and a password. */
const MAX_FORM_BYTES = 4096

export function sessionPages(pages: FastifyInstance, deps: Needs): void {
  pages.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  )
  const page = { config: { scope: 'anyone' as const } }
  pages.get('/login.css', async (_request, reply) => {
    void reply.header('cache-control', 'no-cache').type('text/css; charset=utf-8')
    return reply.send(await readFile(STYLE))
  })
  pages.get('/login', page, async (request, reply) => showLogIn(deps, request, reply))
  pages.post('/login', page, (request, reply) =>
    enter(request, reply, form => {
      const user = form.get('user') ?? ''
      return logIn(deps, { user, password: form.get('password') ?? '' }, fromOf(request))
    }),
  )
  pages.get<{ Querystring: { token?: string } }>('/login/link', page, async (request, reply) => {
    const { token } = request.query
    return sendPage(
      reply,
      200,
      'Set your password',
      linkForm(typeof token === 'string' ? token : ''),
    )
  })
  pages.post('/login/link', page, (request, reply) =>
    enter(request, reply, form => {
      const password = form.get('password') ?? ''
      checkNewPassword(password)
      return enterByLink(deps, { token: form.get('token') ?? '', password }, request.ip)
    }),
  )
  pages.post('/logout', { config: { scope: 'person' } }, async (request, reply) => {
    const { person, session } = request
    if (person !== null && session !== null) {
      await logOut(deps, { user: person.user, token_hash: session.token_hash }, request.ip)
    }
    void reply.header('set-cookie', sessionCookie(request, ''))
    return reply.redirect('/login', 303)
  })
}

/** Shows who is logged in; else the log-in form. */
async function showLogIn(deps: Needs, request: FastifyRequest, reply: FastifyReply) {
  const token_hash = hashToken(sessionTokenOf(request) ?? '')
  const session = token_hash && (await findSession(deps.reads, token_hash))
  if (session === undefined) {
    const { next } = request.query as { readonly next?: unknown }
    return sendPage(reply, 200, 'Log in', logInForm(typeof next === 'string' ? next : ''))
  }
  const shown = html`<p>You are logged in as <strong>${session.user_name}</strong>.</p>
<p><a href="/console">To the console</a></p>
<form method="post" action="/logout"><button>Log out</button></form>`
  return sendPage(reply, 200, 'Corridor', shown)
}

/** After a refusal shows the form again. */
async function enter(
  request: FastifyRequest,
  reply: FastifyReply,
  by: (form: URLSearchParams) => Promise<LoggedIn>,
) {
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  try {
    checkPrivate(request)
    setCookies(request, reply, await by(form))
    return reply.redirect(placeAfter(form.get('next') ?? ''), 303)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.retry_after_s !== undefined) void reply.header('retry-after', error.retry_after_s)
    const linkToken = form.get('token')
    const again = linkToken === null ? logInForm(form.get('next') ?? '') : linkForm(linkToken)
    const title = linkToken === null ? 'Log in' : 'Set your password'
    const body = html`<p role="alert">${error.message}</p>${again}`
    return sendPage(reply, error.status, title, body)
  }
}

function checkNewPassword(password: string): void {
  if (password.length >= MIN_PASSWORD && password.length <= MAX_PASSWORD) return
  const message = `A password has ${MIN_PASSWORD} to ${MAX_PASSWORD} characters.`
  throw refusal('invalid_field', message, 'password')
}

/** `next` if it is a page of the console, never another site. */
function placeAfter(next: string): string {
  return /^\/console(\/[\w/.?&=%+-]*)?$/.test(next) ? next : '/console'
}

function logInForm(next: string): Html {
  return html`<form method="post" action="/login">
<input type="hidden" name="next" value="${placeAfter(next)}">
<label>User
  <input name="user" autocomplete="username" autocapitalize="none" required autofocus></label>
<label>Password
  <input name="password" type="password" autocomplete="current-password" required></label>
<button>Log in</button>
</form>
<p>No password yet, or lost it? Ask an operator of this installation for a link.</p>`
}

function linkForm(token: string): Html {
  return html`<form method="post" action="/login/link">
<input type="hidden" name="token" value="${token}">
<label>New password <input name="password" type="password" autocomplete="new-password"
  minlength="${MIN_PASSWORD}" maxlength="${MAX_PASSWORD}" required autofocus></label>
<p>${MIN_PASSWORD} characters or more; a few words are good.</p>
<button>Set password and log in</button>
</form>`
}

function sendPage(reply: FastifyReply, status: number, title: string, body: Html) {
  void reply
    .status(status)
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('referrer-policy', 'same-origin')
    .type('text/html; charset=utf-8')
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title} · Corridor</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="/login.css"></head>
<body><main><h1>${title}</h1>
${body}
</main></body>
</html>
`
  return reply.send(page.text)
}
