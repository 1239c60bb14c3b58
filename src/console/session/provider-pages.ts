// The pages by which people log in at the installation's provider: out to it and back. A cookie of
// the browser binds both ways together.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hashToken } from '../../accounts/user/session.ts'
import type { Provided } from '../../config/config.ts'
import { checkPrivate, flowCookie, flowOf, ownOrigin, sessionTokenOf } from '../../http/browser.ts'
import { countLogIn } from '../../http/limits.ts'
import { logOf } from '../../http/requests.ts'
import { Refusal, refusal } from '../../values/errors.ts'
import { html } from '../../values/text/html.ts'
import { type PlainPages, placeAfter, placeOf } from './page.ts'
import { type Claims, type Flow, Provider } from './provider.ts'
import { logInByProvider } from './provider-operations.ts'
import { fromOf, type Needs, setCookies } from './routes.ts'

type Deps = Needs & Parameters<typeof logInByProvider>[0]

const CALLBACK = '/login/provider/callback'
/** The provider may take longer than other answers. */
const ANYONE = { config: { scope: 'anyone', streams: true } } as const
/** The most people who come back at one moment. */
const MOST_AT_ONCE = 20
const FAILED = 'Logged in by your organisation'

export function providerPages(
  pages: FastifyInstance,
  deps: Deps,
  plain: PlainPages,
  settings: Provided,
): Provider {
  const provider = new Provider(settings)
  const refused = { title: FAILED, body: html`<p><a href="/login">To the log-in</a></p>` }
  pages.get('/login/provider', ANYONE, async (request, reply) => {
    const { next, again } = request.query as Readonly<Record<string, unknown>>
    try {
      checkPrivate(request)
      const giveBack = countLogIn(deps.limits, request.ip)
      const place = placeAfter(typeof next === 'string' ? next : '')
      const started = await provider.start(returnTo(request), place, again === '1')
      giveBack()
      void reply.header('set-cookie', flowCookie(request, writeFlow(started.flow)))
      return reply.redirect(started.url, 303)
    } catch (error) {
      return plain.sendRefused(reply, error, refused)
    }
  })
  let running = 0
  pages.get(CALLBACK, ANYONE, async (request, reply) => {
    void reply.header('set-cookie', flowCookie(request, ''))
    running += 1
    try {
      checkPrivate(request)
      if (running > MOST_AT_ONCE) throw tooMany()
      const giveBack = countLogIn(deps.limits, request.ip)
      const flow = readFlow(flowOf(request) ?? '')
      const claims = await claimsOf(provider, request, flow)
      const own = hashToken(sessionTokenOf(request) ?? '')
      const from = { ...fromOf(request), own }
      const loggedIn = await logInByProvider(deps, claims, settings.roles, from)
      giveBack()
      setCookies(request, reply, loggedIn)
      const { lacks } = loggedIn.session
      return reply.redirect(lacks === null ? flow.next : placeOf(lacks, flow.next), 303)
    } catch (error) {
      return plain.sendRefused(reply, error, refused)
    } finally {
      running -= 1
    }
  })
  return provider
}

function returnTo(request: FastifyRequest): string {
  return ownOrigin(request) + CALLBACK
}

/** Refuses (401) what the provider did not send, and (503) a provider that does not answer. */
async function claimsOf(provider: Provider, request: FastifyRequest, flow: Flow): Promise<Claims> {
  try {
    return await provider.finish(new URL(request.url, returnTo(request)), flow)
  } catch (error) {
    if (error instanceof Refusal) throw error
    logOf(request).warn({ err: error }, 'a log-in by the provider failed')
    throw refusal('invalid_login', 'This log-in did not come from your provider; try again.')
  }
}

function writeFlow(flow: Flow): string {
  return Buffer.from(JSON.stringify(flow)).toString('base64url')
}

/** Refuses (401) a browser that has not left for the provider. */
function readFlow(cookie: string): Flow {
  try {
    const flow = JSON.parse(Buffer.from(cookie, 'base64url').toString()) as Partial<Flow>
    const { state, nonce, verifier, next } = flow
    const isWhole = [state, nonce, verifier, next].every(
      one => typeof one === 'string' && one !== '',
    )
    if (isWhole) return { ...(flow as Flow), next: placeAfter(next ?? '') }
  } catch {
    // Refused below, as a browser without the cookie is.
  }
  throw refusal(
    'invalid_login',
    'The log-in took too long, or began in another browser; try again.',
  )
}

function tooMany() {
  return refusal('service_unavailable', 'Too many people log in at once; try again.')
}
