// The pages of the second factor: a person gives its code after the password, enrols it, and
// removes it. A person who must have one can do nothing else before.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findFactorState } from '../../accounts/user/factor-store.ts'
import { MAX_CODE, otpauthLink } from '../../accounts/user/second-factor.ts'
import type { OpenSession } from '../../http/authenticate.ts'
import { type Html, html } from '../../values/text/html.ts'
import {
  beginFactor,
  type Enrolled,
  enrol,
  giveCode,
  removeFactor,
  waitingSecret,
} from './factor-operations.ts'
import { confirm } from './operations.ts'
import { formOf, type PlainPages, passwordField, placeAfter } from './page.ts'
import { fromOf, type Needs, ofSession, setCookies } from './routes.ts'

const BEFORE_CODE = { config: { scope: 'person', ofSession: true, without: ['code'] } } as const
const BEFORE = { config: { scope: 'person', ofSession: true, without: ['enrolment'] } } as const
const OWN = { config: { scope: 'person', ofSession: true } } as const

export function factorPages(pages: FastifyInstance, deps: Needs, plain: PlainPages): void {
  codePages(pages, deps, plain)
  enrolmentPages(pages, deps, plain)
  pages.post('/login/second-factor/remove', OWN, async (request, reply) => {
    try {
      const { open } = ofSession(request)
      const loggedIn = await removeFactor(deps, open, codeIn(request), fromOf(request))
      setCookies(request, reply, loggedIn)
      return reply.redirect('/login/second-factor', 303)
    } catch (error) {
      const body = await statePage(deps, request)
      return plain.sendRefused(reply, error, { title: TITLE, body })
    }
  })
}

const TITLE = 'Second factor'
const AGAIN = '/login/provider?again=1'
const codeIn = (request: FastifyRequest) => formOf(request).get('code') ?? ''

function nextIn({ query }: FastifyRequest): string {
  const { next } = query as { readonly next?: unknown }
  return placeAfter(typeof next === 'string' ? next : '')
}

function codePages(pages: FastifyInstance, deps: Needs, plain: PlainPages): void {
  const title = 'Your second factor'
  pages.get('/login/code', BEFORE_CODE, async (request, reply) =>
    plain.send(reply, { title, body: codeForm(nextIn(request)) }),
  )
  pages.post('/login/code', BEFORE_CODE, async (request, reply) => {
    const next = placeAfter(formOf(request).get('next') ?? '')
    try {
      const { open } = ofSession(request)
      setCookies(request, reply, await giveCode(deps, open, codeIn(request), fromOf(request)))
      return reply.redirect(next, 303)
    } catch (error) {
      return plain.sendRefused(reply, error, { title, body: codeForm(next) })
    }
  })
}

function codeField(label: string): Html {
  return html`<label>${label} <input name="code" autocomplete="one-time-code" inputmode="text"
  maxlength="${MAX_CODE}" autocapitalize="none" spellcheck="false" required autofocus></label>`
}

function codeForm(next: string): Html {
  return html`<form method="post" action="/login/code">
<input type="hidden" name="next" value="${next}">
${codeField('The six digits of your device')}
<button>Log in</button>
</form>
<p>Lost the device? Give a recovery code instead. Without one, ask an operator of this
installation.</p>
<form method="post" action="/logout"><button class="quiet">Log out</button></form>`
}

function enrolmentPages(pages: FastifyInstance, deps: Needs, plain: PlainPages): void {
  const path = '/login/second-factor'
  pages.get(path, BEFORE, async (request, reply) =>
    plain.send(reply, { title: TITLE, body: await statePage(deps, request) }),
  )
  pages.post(path, BEFORE, async (request, reply) => {
    try {
      const { session, open } = ofSession(request)
      if (!session.confirmed) {
        await confirm(deps, open, formOf(request).get('password') ?? '', request.ip)
      }
      const secret = await beginFactor(deps, open, request.ip)
      return await plain.send(reply, { title: TITLE, body: secretPage(request, secret) })
    } catch (error) {
      return plain.sendRefused(reply, error, { title: TITLE, body: await statePage(deps, request) })
    }
  })
  pages.post(`${path}/enrol`, BEFORE, async (request, reply) => {
    const { session, open } = ofSession(request)
    try {
      const enrolled = await enrol(deps, open, codeIn(request), fromOf(request))
      setCookies(request, reply, enrolled)
      return await sendCodes(plain, reply, enrolled)
    } catch (error) {
      // Who found an open session must not read the secret.
      const secret = session.confirmed ? await waitingSecret(deps, open.user) : undefined
      const body =
        secret === undefined ? await statePage(deps, request) : secretPage(request, secret)
      return plain.sendRefused(reply, error, { title: TITLE, body })
    }
  })
}

async function statePage({ reads }: Needs, request: FastifyRequest): Promise<Html> {
  const { session, open } = ofSession(request)
  const state = await findFactorState(reads, open.user)
  const back = html`<p><a href="/login">Back</a></p>`
  if (state !== undefined) {
    return html`<p>Your log-in asks for a code of your device, since
<time datetime="${state.enrolled_at}">${state.enrolled_at.slice(0, 10)}</time>. You have
${state.codes_left} recovery codes left.</p>
<p>To change the device, remove the second factor and enrol it again.</p>
<form method="post" action="/login/second-factor/remove">
${codeField('A code of your device, or a recovery code')}
<button>Remove the second factor</button>
</form>${back}`
  }
  const isRequired = session.lacks === 'enrolment'
  return html`<p>${isRequired && html`<strong>You need a second factor here.</strong> `}With
it, each log-in also asks for six digits that an app on your device shows.</p>
<form method="post" action="/login/second-factor">
${confirmField(session)}
<button>Set up the second factor</button>
</form>
${isRequired ? LOG_OUT : back}`
}

function confirmField({ confirmed, by_provider }: OpenSession): Html | '' {
  if (confirmed) return ''
  if (!by_provider) return passwordField('Your password', 'password')
  return html`<p><a href="${AGAIN}">Log in again</a> first.</p>`
}

const LOG_OUT = html`<form method="post" action="/logout"><button class="quiet">Log out</button>
</form>`

/** The link opens an app on this device; an app on another device takes the key. */
function secretPage(request: FastifyRequest, secret: string): Html {
  const { open } = ofSession(request)
  const link = otpauthLink(open.user, request.hostname, secret)
  return html`<p>Type this key into your authenticator app, or
<a href="${link}">open the app on this device</a>.</p>
<p><code tabindex="0">${secret.replace(/.{4}(?=.)/g, '$& ')}</code></p>
<p>The same as a link:</p>
<pre tabindex="0">${link}</pre>
<form method="post" action="/login/second-factor/enrol">
${codeField('The six digits that the app shows')}
<button>Enrol</button>
</form>`
}

/** Shown this once. */
function sendCodes(plain: PlainPages, reply: FastifyReply, { recovery_codes }: Enrolled) {
  const body = html`<p role="status">Your second factor is enrolled. Your other sessions are
over.</p>
<p>Keep these recovery codes where only you find them. Each logs you in once when the device is
lost. They are not shown again.</p>
<pre tabindex="0">${recovery_codes.join('\n')}</pre>
<p><a href="/console">To the console</a></p>`
  return plain.send(reply, { title: 'Your recovery codes', body })
}
