// Registers screens: finds the caller and the account, calls the screen, and frames it. Shows a
// refusal of the API as a page.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../accounts/rules.ts'
import { checkSameOrigin, ownOrigin, zoneOf } from '../http/browser.ts'
import { toRefusal } from '../http/errors.ts'
import { Refusal, refusal } from '../values/errors.ts'
import { html } from '../values/text/html.ts'
import { Api, ApiError } from './api.ts'
import { Files } from './files.ts'
import { post, problemList } from './form.ts'
import { framed } from './frame.ts'
import { type ListPage, showList } from './list.ts'
import { placeFor } from './session/page.ts'
import type { Screen, Visit } from './visit.ts'

export interface Needs {
  readonly reference: { current(): { readonly accounts: ReadonlyMap<string, Account> } }
}

/** Returns the screen, shown once after a form; or the path to redirect to. */
export type ScreenHandler = (visit: Visit) => Promise<Screen | string>

/** `to` and `next` may contain a parameter of the form's own path, such as `:id`. */
interface FormRequest {
  readonly to: string
  /** Without it the form sends no body. */
  readonly body?: (visit: Visit) => object
  /** Below the root. */
  readonly next: string
}

interface ObjectRequest extends Omit<FormRequest, 'body'> {
  readonly again: ScreenHandler
}

/** A batch of payouts as CSV. */
const MAX_FORM_BYTES = 4 * 1024 * 1024

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** An id, or the name of a rail or of a user. */
const PARAMETER = /^\w[\w.-]{0,63}$/

const STREAM = { scope: 'person', streams: true } as const

/** The part of the console that a path is in. */
export type Area = 'account' | 'installation' | 'person'

export class Screens {
  readonly #pages: FastifyInstance
  readonly #deps: Needs
  readonly #assets: () => Promise<readonly string[]>
  readonly #files = new Files()
  readonly #lastChangeOf: (account_id: string | null) => Promise<bigint>

  constructor(
    pages: FastifyInstance,
    deps: Needs,
    assets: () => Promise<readonly string[]>,
    lastChangeOf: (account_id: string | null) => Promise<bigint>,
  ) {
    this.#lastChangeOf = lastChangeOf
    this.#pages = pages
    this.#deps = deps
    this.#assets = assets
    pages.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
      (_request, body, done) => done(null, new URLSearchParams(String(body))),
    )
    pages.setErrorHandler((error, request, reply) => this.#sendError(error, request, reply))
  }

  show(area: Area, path: string, show: ScreenHandler): void {
    this.#pages.get(pathIn(area, path), { config: { scope: 'person' } }, async (request, reply) => {
      const visit = await this.#visitOf(request, area)
      return this.#send(visit, reply, await this.#attempt(visit, show))
    })
  }

  list<T>(area: Area, path: string, listing: (visit: Visit) => ListPage<T>): ScreenHandler {
    const show = async (visit: Visit) => {
      const { title, live, above, ...list } = listing(visit)
      const body = html`${above}${await showList(visit, path, list)}`
      return { title, body, ...(live && { live }) }
    }
    this.show(area, path, show)
    return show
  }

  /** After a refusal, `again` shows the form with its problems. */
  act(area: Area, path: string, act: ScreenHandler, again: ScreenHandler): void {
    const config = { scope: 'person' as const }
    const options = { config, bodyLimit: MAX_FORM_BYTES }
    this.#pages.post(pathIn(area, path), options, async (request, reply) => {
      // A key that a browser keeps proves as little as a cookie.
      checkSameOrigin(request, true)
      const visit = await this.#visitOf(request, area)
      let confirmed = visit.session?.confirmed === true
      try {
        const password = visit.form.get('password') ?? ''
        if (password !== '') {
          await visit.api.post('/v3/session/confirm', { password })
          confirmed = true
        }
        return await this.#send(visit, reply, await act(visit))
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        // The page shown again asks for the password if the API has refused for want of it.
        const stillConfirmed = confirmed && !error.is('password_needed')
        const session = visit.session && { ...visit.session, confirmed: stillConfirmed }
        const refused = { ...visit, session, formError: error }
        return this.#send(refused, reply, await this.#attempt(refused, again))
      }
    })
  }

  /** The form posts one request to the API. */
  send(area: Area, path: string, { to, body, next }: FormRequest, again: ScreenHandler): void {
    const act = async (visit: Visit) => {
      const filled = (text: string) =>
        text.replace(/:(\w+)/g, (_, name: string) => visit.params[name] ?? '')
      await post(visit, filled(to), body?.(visit) ?? {})
      return visit.root + filled(next)
    }
    this.act(area, path, act, again)
  }

  /** By names in `bodies`. A form posts to `to`, followed by its name. */
  sendEach(
    area: Area,
    path: string,
    { to, next, again }: ObjectRequest,
    bodies: Readonly<Record<string, (visit: Visit) => object>>,
  ): void {
    for (const [name, body] of Object.entries(bodies)) {
      this.send(area, `${path}/${name}`, { to: `${to}/${name}`, body, next }, again)
    }
  }

  /** The lines of the page's table, by the same address with `.csv`, which also names the file. */
  csv(area: Area, path: string, linesOf: (visit: Visit) => AsyncGenerator<string>): void {
    const at = `${pathIn(area, path)}.csv`
    this.#pages.get(at, { config: STREAM }, async (request, reply) => {
      const visit = await this.#visitOf(request, area)
      const { report, month, from, to } = visit.query
      const asked = [report, month, from, to && `to-${to}`].filter(part =>
        /^[\w-]+$/.test(part ?? ''),
      )
      const parts = [path.slice(1), visit.account?.account_id, ...asked].filter(Boolean)
      const name = `${parts.join('-')}.csv`
      const session = visit.session?.token_hash.toString('hex') ?? visit.person.user
      const stream = await this.#files.open(session, linesOf(visit))
      void reply.type('text/csv; charset=utf-8')
      void reply.header('content-disposition', `attachment; filename="${name}"`)
      return reply.send(stream)
    })
  }

  /** An account's stream is for its people. `open` judges who may read the installation's. */
  stream(
    area: Area,
    path: string,
    open: (request: FastifyRequest, reply: FastifyReply, account: Account | null) => unknown,
  ): void {
    this.#pages.get(pathIn(area, path), { config: STREAM }, async (request, reply) => {
      const { account } = this.#callerOf(request, area)
      return open(request, reply, account)
    })
  }

  async #visitOf(request: FastifyRequest, area: Area): Promise<Visit> {
    const { person, account, accounts } = this.#callerOf(request, area)
    return {
      request,
      person,
      session: request.session,
      account,
      accounts,
      params: request.params as Readonly<Record<string, string>>,
      api: new Api(this.#pages, request, account?.account_id ?? null),
      root: account === null ? '/console/installation' : `/console/${account.account_id}`,
      origin: ownOrigin(request),
      zone: zoneOf(request),
      here: request.url,
      query: lastOfEach(request.query as Readonly<Record<string, string | string[]>>),
      form: request.body instanceof URLSearchParams ? request.body : new URLSearchParams(),
      formError: null,
      lastChange: area === 'person' ? 0n : await this.#lastChangeOf(account?.account_id ?? null),
    }
  }

  /** Refuses (403) without a role. */
  #callerOf(request: FastifyRequest, area: Area) {
    const { person } = request
    if (person === null) throw refusal('insufficient_scope', 'The console is for people.')
    const existing = this.#deps.reference.current().accounts
    const params = request.params as Readonly<Record<string, string>>
    // The paths of API calls are made from these.
    if (!Object.values(params).every(text => PARAMETER.test(text))) {
      throw refusal('not_found', 'No such path.')
    }
    const accounts = [...person.roles.keys()].flatMap(id => existing.get(id) ?? [])
    const inPath = accounts.find(({ account_id }) => account_id === params.account)
    const account = area === 'account' ? inPath : null
    // A person without a role does not learn whether the account exists.
    if (account === undefined) {
      throw refusal('insufficient_scope', `${person.user} has no role on this account.`)
    }
    return { person, account, accounts }
  }

  /** A refusal of the API becomes a screen, unless nobody is logged in (401). */
  async #attempt(visit: Visit, show: ScreenHandler): Promise<Screen | string> {
    try {
      return await show(visit)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 401) throw error
      return refusedScreen(visit, error)
    }
  }

  async #send(visit: Visit, reply: FastifyReply, shown: Screen | string) {
    if (typeof shown === 'string') return reply.redirect(shown, 303)
    const page = framed(visit, shown, await this.#assets())
    const status = visit.formError?.status ?? shown.status ?? 200
    return withHeaders(reply).status(status).send(page.text)
  }

  async #sendError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const refused = error instanceof ApiError ? error : (tooLong(error) ?? toRefusal(error))
    const { status, message } = refused
    const next = request.method === 'GET' ? request.url : '/console'
    if (status === 401) {
      return reply.redirect(`/login?${new URLSearchParams({ next })}`, 303)
    }
    if (status >= 500) request.log.error({ err: error }, 'a page could not be made')
    const place = refused instanceof Refusal ? placeFor(refused, next) : undefined
    if (place !== undefined) return reply.redirect(place, 303)
    const { retry_after_s } = refused instanceof ApiError ? {} : refused
    if (retry_after_s !== undefined) void reply.header('retry-after', retry_after_s)
    const [style] = await this.#assets()
    const body = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Corridor</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><link rel="stylesheet" href="${style}"></head>
<body><main id="main"><h1>This page cannot be shown</h1><p role="alert">${message}</p>
<p><a href="/console">Go to the console</a></p></main></body></html>`
    return withHeaders(reply).status(status).send(body.text)
  }
}

/** The last value of one that comes several times. */
function lastOfEach(
  query: Readonly<Record<string, string | string[]>>,
): Readonly<Record<string, string>> {
  const pairs = Object.entries(query).map(([name, all]) => [name, [all].flat().at(-1) ?? ''])
  return Object.fromEntries(pairs)
}

function pathIn(area: Area, path: string): string {
  if (area === 'person') return `/console${path}`
  return area === 'account' ? `/console/:account${path}` : `/console/installation${path}`
}

function withHeaders(reply: FastifyReply): FastifyReply {
  return reply
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('referrer-policy', 'same-origin')
    .type('text/html; charset=utf-8')
}

/** Fastify's own refusal of a long form names no limit. */
function tooLong(error: unknown): Refusal | undefined {
  if ((error as { readonly code?: string }).code !== 'FST_ERR_CTP_BODY_TOO_LARGE') return undefined
  const most = `${MAX_FORM_BYTES / 1024 ** 2} MiB`
  return refusal('payload_too_large', `What the form sends is over ${most}.`)
}

function refusedScreen(visit: Visit, error: ApiError): Screen {
  const title = error.status === 404 ? 'Not found' : 'This page cannot be shown'
  const body = html`${problemList(error)}<p><a href="${visit.root}">Home</a></p>`
  return { title, body, status: error.status }
}
